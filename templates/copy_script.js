(function () {
  "use strict";
  document.querySelectorAll("button.copy").forEach(function (button) {
    var code = button.parentElement.querySelector("code");
    var said = button.parentElement.querySelector("[role=status]");
    button.hidden = false;
    button.addEventListener("click", function () {
      function select() {
        getSelection().selectAllChildren(code);
        said.textContent = document.execCommand("copy") ? "Copied." : "Selected: copy it with Ctrl+C.";
      }
      if (!navigator.clipboard) return select();
      navigator.clipboard.writeText(code.textContent).then(function () {
        said.textContent = "Copied.";
      }, select);
    });
  });
})();
