// node site_audit.js SITE BROWSER [PART]: every page at two widths, in light and in dark, as JSON lines on stdout, one a finding.
// In each state: errors on the console, requests to elsewhere, a page or a box wider than its place, text that is cut off, maths
// that is not set, what axe-core calls serious. Once a page: its head, its pictures, its links, its notebook, the keyboard, the
// first example that a reader meets. Once a state of the site: the search, and the switch between light and dark.
const { chromium } = require("playwright-core");
const http = require("http"), fs = require("fs"), path = require("path");
const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const [site, browserPath, wanted = ""] = process.argv.slice(2);
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".png": "image/png", ".svg": "image/svg+xml", ".json": "application/json", ".woff2": "font/woff2" };
const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"];
const WIDTHS = [390, 1440], MODES = ["light", "dark"], HEIGHT = 900;

function filesBelow(folder) {
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
    const full = path.join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(full) : [full];
  });
}

function serve(folder) {
  return http.createServer((request, response) => {
    const file = path.join(folder, decodeURIComponent(request.url.split("?")[0]));
    fs.readFile(file, (error, data) => {
      if (error) { response.writeHead(404); response.end(); return; }
      response.writeHead(200, { "content-type": TYPES[path.extname(file)] || "application/octet-stream", "cache-control": "max-age=3600" });
      response.end(data);
    });
  }).listen(0);
}

function tell(kind, where, told) { console.log(JSON.stringify({ kind, where, told })); }

async function contrast(page, where, part) {
  const { violations } = await page.evaluate(part => axe.run(part || document, { resultTypes: ["violations"] }), part);
  for (const fault of violations.filter(v => ["serious", "critical"].includes(v.impact)))
    for (const node of fault.nodes) tell(fault.id, where, `${node.target.join(" ")}: ${((node.any[0] || node.all[0] || node.none[0] || {}).message || "").slice(0, 160)}`);
}

// ---- in the page

function boxes() {
  const main = document.querySelector("main"), found = [], right = document.documentElement.clientWidth;
  const told = e => `${e.tagName.toLowerCase()}.${String(e.className.baseVal === undefined ? e.className : "svg").split(" ")[0]} ${(e.textContent || e.alt || "").trim().slice(0, 50)}`;
  if (!main) return [["no main", ""]];
  for (const e of main.querySelectorAll("pre, table, img, svg, p, li, .cell-output, .katex-display, details, iframe")) {
    if (e.closest("svg") !== null && e.tagName !== "svg") continue;
    const box = e.getBoundingClientRect(), style = getComputedStyle(e);
    if (!box.width || e.closest(".fsnb-skip")) continue;
    let inside = e.parentElement, scrolled = false;
    for (; inside && inside !== document.body; inside = inside.parentElement)
      if (/auto|scroll/.test(getComputedStyle(inside).overflowX)) scrolled = true;
    if (!scrolled && box.right > right + 1) found.push(["out of the screen", told(e)]);
    if (e.scrollWidth > e.clientWidth + 1 && e.clientWidth && /hidden|clip/.test(style.overflowX)) found.push(["cut off", told(e)]);
  }
  for (const e of main.querySelectorAll("pre, table, .cell-output, .katex-display"))
    if (e.scrollWidth > e.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(e).overflowX) && e.tabIndex < 0 && !e.querySelector("[tabindex]"))
      found.push(["scrolls, and the keyboard cannot reach it", told(e)]);
  for (const e of main.querySelectorAll("p, li, td, th, dd, .description, figcaption, summary"))
    if (/\\\(|\\\[|\$\$|\\tau\b/.test([...e.childNodes].filter(n => n.nodeType === 3).map(n => n.data).join(" "))) found.push(["maths is not set", e.textContent.slice(0, 80)]);
  for (const e of document.querySelectorAll("span.math")) if (!e.querySelector(".katex, mjx-container")) found.push(["maths is not set", e.textContent.slice(0, 80)]);
  for (const e of document.querySelectorAll(".katex-error")) found.push(["maths is in error", e.textContent.slice(0, 80)]);
  return found;
}

// What stands on a page many times in the same dress is judged once: axe-core takes seconds for ten thousand words of code.
function thin() {
  const seen = new Set();
  for (const e of document.querySelectorAll("main pre span")) {
    const dress = `${e.className} ${e.parentElement.className} ${e.closest("pre").className} ${(e.closest(".cell-output, .callout, details") || {}).className}`;
    if (e.children.length || !seen.has(dress)) { seen.add(dress); continue; }
    e.remove();
  }
  for (const table of document.querySelectorAll("main table")) for (const row of [...table.querySelectorAll("tbody tr")].slice(6)) row.remove();
  for (const formula of [...document.querySelectorAll("main .katex")].slice(3)) formula.remove();
}

function facts() {
  const all = (s, f) => [...document.querySelectorAll(s)].map(f), found = [];
  const need = (kind, good, told) => { if (!good) found.push([kind, told || ""]); };
  const main = document.querySelector("main");
  const content = name => (document.querySelector(`meta[property="${name}"]`) || {}).content || "";
  need("language", document.documentElement.lang);
  need("one title", all("h1", e => e).length === 1, `${all("h1", e => e).length} h1`);
  const canonical = (document.querySelector('link[rel="canonical"]') || { getAttribute: () => "" }).getAttribute("href");
  need("canonical address", /^https:\/\//.test(canonical), canonical);
  for (const name of ["og:title", "og:description", "og:url", "og:site_name", "og:image"]) need("card", content(name), name);
  need("icon", document.querySelector('link[rel="icon"]'));
  for (const e of all("main img", e => e)) need("picture without words", (e.getAttribute("alt") || "").trim(), e.src.slice(0, 60));
  for (const e of all("main img", e => e)) need("picture not drawn", e.complete && e.naturalWidth > 0, e.alt);
  for (const text of all("main pre, main dl, main table.fsnb-api", e => e.textContent)) need("raw link", !/\[`[^`\]]+`\]\(/.test(text), (text.match(/\[`[^`\]]+`\]\([^)]*/) || [""])[0]);
  need("footer with the version", /fsnb \d+\.\d+/.test((document.querySelector(".fsnb-footer") || {}).textContent || ""));
  need("repository", document.querySelector('.fsnb-footer a[href^="https://github.com/"], .navbar a[href^="https://github.com/"]'));
  need("way to the changes", document.querySelector('a[href$="changelog.html"]'));
  need("switch of light and dark", document.querySelector(".quarto-color-scheme-toggle[aria-label], .quarto-color-scheme-toggle[title]"));
  need("way on", location.pathname.endsWith("changelog.html") || document.querySelector(".page-navigation a, .nav-page a"));
  const early = [...(main || document).querySelectorAll("pre.sourceCode")].find(e => !e.closest("details") && /\.fit(_transform)?\(/.test(e.textContent));
  const links = all("main a[href], nav a[href], header a[href], footer a[href]", e => e.href).filter(h => h.startsWith(location.origin));
  return { found, links, code: early ? Math.round(early.getBoundingClientRect().top + scrollY) : -1, notebook: (document.querySelector("a[download]") || {}).href };
}

// ---- states

async function lookAt(page, where, once) {
  const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  if (over > 1) tell("wider than the screen", where, `${over} pixels`);
  for (const [kind, told] of await page.evaluate(boxes)) tell(kind, where, told);
  if (once) await once();
  await page.evaluate(thin);
  await page.evaluate(axe);
  await contrast(page, where);
}

async function lookOnce(page, name, base) {
  const { found, links, code, notebook } = await page.evaluate(facts);
  for (const [kind, told] of found) tell(kind, name, told);
  tell("first example", name, code);
  if (notebook ? !fs.existsSync(localFile(notebook, base)) : name !== "changelog.html") tell("no notebook", name, notebook || "");
  for (const link of new Set(links.map(l => l.replace(/#.*/, "")))) if (!fs.existsSync(localFile(link, base))) tell("link to nothing", name, link);
  await page.keyboard.press("Tab");
  const first = await page.evaluate(() => document.activeElement.className);
  if (!String(first).includes("fsnb-skip")) { tell("skip link", name, `the first key reaches ${first}`); return; }
  await page.keyboard.press("Enter");
  const at = await page.evaluate(() => location.hash && document.querySelector(location.hash) && document.querySelector(location.hash).tagName);
  if (at !== "MAIN") tell("skip link", name, `leads to ${at}`);
}

function localFile(url, base) {
  const file = path.join(site, decodeURIComponent(url.slice(base.length).split(/[?#]/)[0]));
  return fs.existsSync(file) && fs.statSync(file).isDirectory() ? path.join(file, "index.html") : file;
}

async function search(page, base, where) {
  await page.goto(base + "index.html", { waitUntil: "load" });
  if (await page.locator(".navbar-toggler").isVisible()) await page.locator(".navbar-toggler").click();
  await page.waitForTimeout(500);
  const field = page.locator("input[type=search]").first();
  await field.fill("GDM");
  const results = ".smalldocs-search-results a, .aa-Panel a";
  await page.locator(results).first().waitFor({ timeout: 30000 }).catch(() => {});
  const found = await page.locator(results).evaluateAll(links => links.map(a => a.href));
  if (!found.some(href => href.includes("gdm/gdm.html"))) tell("search does not find GDM", where, found.slice(0, 3).join(" "));
  const seen = await page.locator(results).first().evaluate(e => { const b = e.getBoundingClientRect(); return b.left >= 0 && b.right <= innerWidth + 1 && b.width > 100; }).catch(() => false);
  if (!seen) tell("search results are off the screen", where, "");
  await page.evaluate(axe);
  await contrast(page, `${where}, search open`, "#quarto-header");
}

async function toggle(page, base, where) {
  await page.goto(base + "index.html", { waitUntil: "load" });
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const before = await ground();
  if (await page.locator(".navbar-toggler").isVisible()) await page.locator(".navbar-toggler").click();
  await page.waitForTimeout(500);
  await page.locator(".quarto-color-scheme-toggle").first().click();
  await page.waitForTimeout(500);
  if (await ground() === before) tell("the switch changes nothing", where, before);
  await page.evaluate(axe);
  await contrast(page, `${where}, switched`);
}

async function visit(browser, base, pages, width, colorScheme) {
  const context = await browser.newContext({ viewport: { width, height: HEIGHT }, colorScheme });
  context.setDefaultNavigationTimeout(120000);      // a busy machine
  let where = "";
  const page = await context.newPage();
  page.on("request", request => { if (!request.url().startsWith(base) && !/^(data|blob|about):/.test(request.url())) tell("request to elsewhere", where, request.url()); });
  page.on("console", message => { if (message.type() === "error") tell("console", where, message.text()); });
  page.on("pageerror", error => tell("script", where, String(error)));
  for (const name of pages) {
    where = `${name} (${width}, ${colorScheme})`;
    await page.goto(base + name, { waitUntil: "load" });
    await page.waitForTimeout(150);
    const first = width === 1440 && colorScheme === "light";
    await lookAt(page, where, first && (() => lookOnce(page, name, base)));
  }
  if (!fs.existsSync(path.join(site, "index.html"))) return context.close();
  where = `index.html (${width}, ${colorScheme})`;
  if (fs.existsSync(path.join(site, "search.json"))) await search(page, base, where);
  await toggle(page, base, where);
  await context.close();
}

async function main() {
  const server = serve(site), base = `http://127.0.0.1:${server.address().port}/`;
  const fits = page => wanted.split(",").some(part => page.includes(part));
  const pages = filesBelow(site).filter(f => f.endsWith(".html")).map(f => path.relative(site, f)).filter(fits).sort();
  const browser = await chromium.launch({ executablePath: browserPath, args: FLAGS });
  for (const colorScheme of MODES) await Promise.all(WIDTHS.map(width => visit(browser, base, pages, width, colorScheme)));
  await browser.close();
  server.close();
  tell("looked at", `${pages.length} pages at ${WIDTHS.length} widths, light and dark: ${pages.length * WIDTHS.length * MODES.length} states`, "");
}

main().catch(error => { console.error(error); process.exit(1); });
