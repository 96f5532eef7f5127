// What is wider than its place scrolls: it can be reached with the keyboard then. Maths that Quarto left is set by KaTeX.
// The sidebar shows where the reader is; folds are open on paper.
(function () {
  function reach() {
    document.querySelectorAll("main pre, main table, main .sd-table, main .cell-output, .katex-display, #TOC, nav#quarto-sidebar").forEach(function (box) {
      var style = getComputedStyle(box);
      var scrolls = (box.scrollWidth > box.clientWidth + 1 && /auto|scroll/.test(style.overflowX)) ||
                    (box.scrollHeight > box.clientHeight + 1 && /auto|scroll/.test(style.overflowY));
      if (scrolls) box.setAttribute("tabindex", "0");
    });
  }
  function setMaths() {
    if (!window.katex || window.renderMathInElement) return;
    document.querySelectorAll("span.math").forEach(function (span) {
      if (span.querySelector(".katex")) return;      // it is set
      var text = span.textContent.trim().replace(/^\\[(\[]/, "").replace(/\\[)\]]$/, "");
      try { katex.render(text, span, { displayMode: span.classList.contains("display"), throwOnError: false }); } catch (e) {}
    });
  }
  function showPlace() {
    var bar = document.getElementById("quarto-sidebar");
    var entry = bar && (bar.querySelector("a[aria-current=page]") || bar.querySelector("a.active"));
    if (!entry || bar.scrollHeight <= bar.clientHeight) return;
    bar.scrollTop += entry.getBoundingClientRect().top - bar.getBoundingClientRect().top - bar.clientHeight / 3;
  }
  window.addEventListener("beforeprint", function () {
    document.querySelectorAll("main details").forEach(function (fold) { fold.open = true; });
  });
  function all() { setMaths(); showPlace(); reach(); }
  if (document.readyState === "complete") all(); else window.addEventListener("load", all);
  window.addEventListener("resize", reach);
})();
