(function () {
  "use strict";
  var bar = document.getElementById("stepper");
  var progress = document.getElementById("progress");
  var steps = Array.from(document.querySelectorAll("section.step"));
  if (!bar || !progress || steps.length < 2) return;
  var answer = document.querySelector("section.answer");
  // A chain that failed is opened where it failed: what comes before it did what it says.
  var at = Math.max(0, steps.findIndex(function (step) {
    return step.classList.contains("failed");
  }));
  // Of a long chain some steps are left out of the page: they are called by their own numbers.
  function number(step) {
    return step.querySelector(".count").textContent.replace(/\D/g, "");
  }
  var total = number(steps[steps.length - 1]);
  var every = String(steps.length) === total ? "All " + total + " steps" : steps.length + " of " + total + " steps";
  var all = false;
  var buttons = {};
  bar.querySelectorAll("button").forEach(function (button) {
    buttons[button.dataset.go] = button;
  });

  function show() {
    steps.forEach(function (step, index) {
      step.hidden = !all && index !== at;
    });
    var first = at === 0;
    var last = at === steps.length - 1;
    // The last step gives the answer, so that it is seen with that one.
    if (answer) answer.hidden = !all && !last;
    buttons.first.setAttribute("aria-disabled", String(all || first));
    buttons.previous.setAttribute("aria-disabled", String(all || first));
    buttons.next.setAttribute("aria-disabled", String(all || last));
    buttons.all.setAttribute("aria-pressed", String(all));
    progress.textContent = all ? every : "Step " + number(steps[at]) + " of " + total;
  }

  function go(where) {
    if (where === "all") {
      all = !all;
    } else if (all) {
      return;
    } else if (where === "first") {
      at = 0;
    } else if (where === "last") {
      at = steps.length - 1;
    } else {
      at = Math.min(steps.length - 1, Math.max(0, at + (where === "next" ? 1 : -1)));
    }
    show();
  }

  var skip = document.querySelector("a.skip");
  if (skip) skip.addEventListener("click", function () {
    go("last");
  });

  bar.addEventListener("click", function (event) {
    var button = event.target.closest("button");
    if (button) go(button.dataset.go);
  });

  var keys = { ArrowLeft: "previous", ArrowRight: "next", Home: "first", End: "last" };
  document.addEventListener("keydown", function (event) {
    var where = keys[event.key];
    if (!where || all || event.defaultPrevented) return;
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    var target = event.target instanceof Element ? event.target : document.body;
    if (target.closest("input, textarea, select, [contenteditable]")) return;
    var region = target.closest(".scroll");
    if (region && region.scrollWidth > region.clientWidth) return;
    event.preventDefault();
    go(where);
  });

  bar.hidden = false;
  show();
})();
