// The site's search, in place of Fuse: whole words count, titles more than headings and headings more than text, pages
// more than the functions inside them; the chapters under "Inside" last. `Fuse` is the name that both renderers call.
(function () {
  var SAME = { fdr: "false discovery rate", fwer: "family-wise error rate", mkl: "multiple kernel learning",
    bh: "benjamini-hochberg", snp: "variant", svm: "support vector machine", pvalue: "p-value", cutoff: "threshold",
    visualization: "picture", mutual: "symmetrical uncertainty", docs: "guide" };
  var INSIDE = /^(data|correlation|groups|show)\//, CHANCE = /^(correlation\/(cooccurrence|ranks)|groups\/(max_t|stability))/;
  var FIRST = /^(index|glossary|start\/|guides\/)/, CODE = /^(def |class |source)|^[\w.]+\($/, LAST = /^changelog/;

  function escaped(word) { return word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"); }

  // how well a text holds a word: 2 as a whole word, 1 as its beginning, 0 not
  var made = {};
  function holds(text, word) {
    if (!text) return 0;
    var forms = made[word] || (made[word] = [new RegExp("(^|[^\\w])" + escaped(word) + "s?($|[^\\w])", "i"),
      new RegExp("(^|[^\\w])" + escaped(word), "i")]);
    return forms[1].test(text) ? (forms[0].test(text) ? 2 : 1) : 0;
  }

  function isFunction(entry) { return CODE.test(entry.text || "") && /^[\w.]+$/.test(entry.section || ""); }

  function judge(entry, phrase) {
    var words = phrase.split(/\s+/).filter(Boolean), total = 0;
    for (var i = 0; i < words.length; i++) {
      var title = holds(entry.title, words[i]), section = holds(entry.section, words[i]), text = holds(entry.text, words[i]);
      if (!title && !section && !text) return 0;
      total += 4 * title + 3 * section + text;
    }
    total /= words.length;
    if (words.length > 1) total += 6 * holds(entry.title, phrase) + 4 * holds(entry.section, phrase) + 2 * holds(entry.text, phrase);
    var often = (entry.text || "").toLowerCase().split(phrase).length - 1;
    total += Math.min(often, 6) / 4 + (entry.section ? 0 : holds(entry.title, phrase) ? 3 : .5);
    var exact = (entry.section || "").toLowerCase() === phrase;
    if (isFunction(entry)) total *= exact ? 1 : /^_/.test(entry.section) ? .2 : .5;
    if (FIRST.test(entry.href)) total *= 1.4;
    if (INSIDE.test(entry.href) && !CHANCE.test(entry.href)) total *= .8;
    return LAST.test(entry.href) ? total / 4 : total;
  }

  function find(index, query, limit) {
    var asked = query.toLowerCase().trim().replace(/\s+/g, " "), pages = {};
    var phrases = SAME[asked] ? [asked, SAME[asked]] : [asked];
    return index.map(function (entry, place) {
      return { item: entry, refIndex: place, score: Math.max.apply(null, phrases.map(function (p) { return judge(entry, p); })) };
    }).filter(function (hit) { return hit.score > 0; })
      .sort(function (a, b) { return b.score - a.score || a.refIndex - b.refIndex; })
      .filter(function (hit) {                       // two places of a page at most
        var page = hit.item.href.split("#")[0];
        pages[page] = (pages[page] || 0) + 1;
        return pages[page] <= 2;
      }).slice(0, limit || 20);
  }

  function Search(index) { this.index = (index || []).slice(); }
  Search.prototype.add = function (entry) { this.index.push(entry); };
  Search.prototype.search = function (query, options) { return find(this.index, query, options && options.limit); };
  Search.find = find;
  if (typeof module !== "undefined") module.exports = Search;
  else {
    window.Fuse = Search;
    document.addEventListener("DOMContentLoaded", function () { window.Fuse = Search; });
  }
})();
