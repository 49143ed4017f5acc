(function () {
  "use strict";
  // Rows that a table needs before filtering and sorting it helps.
  var FEWEST = 6;

  function said(cell) {
    return cell ? cell.textContent.trim() : "";
  }

  // The number that a cell begins with; none where it begins with something else.
  function number(text) {
    var found = /^[+\-−<]?\s*\d[\d,]*(\.\d+)?/.exec(text);
    return found ? parseFloat(found[0].replace("−", "-").replace(/[<,\s]/g, "")) : NaN;
  }

  // What is empty or undefined comes last, whichever way it is sorted.
  function compare(one, other, numeric, turn) {
    var a = numeric ? number(one) : NaN, b = numeric ? number(other) : NaN;
    var lacks = numeric ? isNaN(a) - isNaN(b) : !one - !other;
    if (lacks) return lacks;
    if (numeric) return isNaN(a) ? 0 : turn * (a - b);
    return turn * one.localeCompare(other, "en", { numeric: true });
  }

  function sortable(table, body, rows) {
    var heads = table.tHead.rows[0].cells;
    Array.prototype.forEach.call(heads, function (head, column) {
      var button = document.createElement("button");
      button.type = "button";
      while (head.firstChild) button.appendChild(head.firstChild);
      head.appendChild(button);
      button.addEventListener("click", function () {
        var was = head.getAttribute("aria-sort");
        Array.prototype.forEach.call(heads, function (other) { other.removeAttribute("aria-sort"); });
        var now = was === null ? "ascending" : was === "ascending" ? "descending" : null;
        var order = rows.slice();
        if (now) {
          head.setAttribute("aria-sort", now);
          var turn = now === "ascending" ? 1 : -1;
          var numeric = head.classList.contains("number");
          order = rows.map(function (row) { return [said(row.cells[column]), row]; })
            .sort(function (one, other) { return compare(one[0], other[0], numeric, turn); })
            .map(function (pair) { return pair[1]; });
        }
        var all = document.createDocumentFragment();
        order.forEach(function (row) { all.appendChild(row); });
        body.appendChild(all);
      });
    });
  }

  function filterable(table, rows) {
    var line = document.createElement("p");
    var label = document.createElement("label");
    var input = document.createElement("input");
    var count = document.createElement("output");
    var texts = null, waiting = 0;
    input.type = "search";
    label.append("Rows with ", input);
    line.className = "filter";
    line.append(label, count);
    table.parentElement.before(line);
    function show() {
      var words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      var shown = 0;
      texts = texts || rows.map(function (row) {
        return Array.prototype.map.call(row.cells, said).join(" ").toLowerCase();
      });
      rows.forEach(function (row, place) {
        var fits = words.every(function (word) { return texts[place].includes(word); });
        if (row.hidden === fits) row.hidden = !fits;
        if (fits) shown += 1;
      });
      count.textContent = words.length ? shown + " of " + rows.length : "";
    }
    input.addEventListener("input", function () {
      clearTimeout(waiting);
      waiting = setTimeout(show, rows.length > 500 ? 150 : 0);
    });
  }

  function prepare(table) {
    var body = table.tBodies[0];
    if (!body || table.dataset.ready || body.rows.length < FEWEST) return;
    table.dataset.ready = "yes";
    var rows = Array.prototype.slice.call(body.rows);
    sortable(table, body, rows);
    filterable(table, rows);
  }

  document.querySelectorAll(".list table").forEach(prepare);
  document.querySelectorAll("details.folded").forEach(function (details) {
    function ready() {
      if (details.open) details.querySelectorAll("table").forEach(prepare);
    }
    details.addEventListener("toggle", ready);
    ready();
  });
})();
