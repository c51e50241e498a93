// Opens every page in a browser, light and dark, and has axe-core look at it; saves what was served; and
// has Lighthouse look at some. Tells what it found, an object to a line.
import { writeFileSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import puppeteer from "puppeteer-core";
import lighthouse from "lighthouse";

const plan = JSON.parse(readFileSync(process.argv[2], "utf8"));
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const tell = (told) => console.log(JSON.stringify(told));
const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

// Has axe-core look at what `open` opens, light and dark.
const look = async (page, name, open, isServed) => {
  for (const scheme of ["light", "dark"]) {
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    await open();
    if (scheme === "light") {
      // As it was served, where that can be asked for again.
      const html = await page.evaluate(async (isServed) =>
        isServed ? (await fetch(location.href)).text() : `<!doctype html>${document.documentElement.outerHTML}`, isServed);
      writeFileSync(`${plan.out}/${name}.html`, html);
    }
    // What is folded in is looked at, too.
    await page.evaluate(() => { for (const one of document.querySelectorAll("details")) one.open = true; });
    await page.evaluate(axe);
    const found = await page.evaluate((tags) =>
      axe.run(document, { runOnly: { type: "tag", values: tags }, resultTypes: ["violations", "incomplete"] }), tags);
    const lines = (all) => all.flatMap((one) => one.nodes.map((node) => ({
      rule: one.id, impact: one.impact, help: one.help,
      element: node.target.join(" "), html: node.html.slice(0, 200),
      why: (node.failureSummary || "").split("\n").slice(1).join(";").trim().slice(0, 300),
    })));
    tell({ kind: "axe", page: name, scheme, passes: found.passes.length, violations: lines(found.violations), unsure: lines(found.incomplete) });
  }
};

const browser = await puppeteer.launch({
  executablePath: plan.browser,
  headless: true,
  args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"],
});
try {
  const page = await browser.newPage();
  await page.setViewport({ width: 1280, height: 900 });
  for (const server of plan.servers) {
    if (server.user) {
      await page.goto(server.base + "login");
      await page.type("#name", server.user);
      await page.type("#password", server.password);
      await Promise.all([page.waitForNavigation(), page.click("main button[type=submit]")]);
    }
    for (const { name, path } of server.pages) {
      const url = new URL(path, server.base).href;
      await look(page, name, () => page.goto(url), true);
    }
    // What forms lead to.
    for (const { name, path, fields, seen } of server.forms) {
      const send = async () => {
        await page.goto(new URL(path, server.base).href);
        for (const [field, text] of Object.entries(fields)) await page.type(field, text.replace("SCHEME", Date.now()));
        await Promise.all([page.waitForNavigation(), page.click("main form.line button[type=submit], main form:not(.line) button.main")]);
        await page.waitForSelector(seen);
      };
      await look(page, name, send, false);
    }
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "light" }]);
    for (const { name, path } of server.pages.filter((one) => plan.lighthouse.includes(one.name))) {
      const port = Number(new URL(browser.wsEndpoint()).port);
      const url = new URL(path, server.base).href;
      const { lhr } = await lighthouse(url, { port, output: "json", logLevel: "silent", disableStorageReset: true,
        onlyCategories: ["performance", "accessibility", "best-practices", "seo"] });
      const scores = Object.fromEntries(Object.entries(lhr.categories).map(([id, one]) => [id, Math.round(one.score * 100)]));
      const lost = Object.entries(lhr.categories).flatMap(([id, category]) => category.auditRefs
        .filter((one) => one.weight > 0 && lhr.audits[one.id].score !== null && lhr.audits[one.id].score < 0.9)
        .map((one) => ({ category: id, audit: one.id, title: lhr.audits[one.id].title, score: lhr.audits[one.id].score, shown: lhr.audits[one.id].displayValue || "",
          items: (lhr.audits[one.id].details?.items || []).slice(0, 3).map((item) => item.node?.snippet || item.url || item.source?.url || item.description || "").filter(Boolean) })));
      tell({ kind: "lighthouse", page: name, scores, lost });
    }
  }
} finally {
  await browser.close();
}
