import assert from "node:assert/strict";
import type { Visit } from "@framework/browser";
import { App } from "@framework/core";
import { csrf, type CsrfConfig, csrfToken } from "@framework/security";
import { waitFor } from "@framework/testing";
import { fetchInPage, emptyPage, pageOf } from "./pages.test-kit.ts";
import { summarize, recorder } from "./recorder.test-kit.ts";
import { inChromium } from "./in-chromium.test-kit.ts";

const formTo = (action: string, token: string): string =>
  `<form method="post" action="${action}"><input name="_csrf" value="${token}"><input name="title" value="Emma"></form>`;

/** An app with a page that has a form with the token. */
const books = (options: Partial<CsrfConfig> = {}) => {
  const app = new (App.with(recorder, csrf))().enableCsrf(options);
  app.get("/", (request) => pageOf(formTo("/books", csrfToken(request))));
  app.post("/books", async (request) => pageOf((await request.form()).get("title") ?? ""));
  return app;
};

/** Submits the page's form; returns the status and the text of the resulting page. */
const submit = async (page: Visit): Promise<[status: number, text: string]> => {
  await page.follow(`document.forms[0].submit()`);
  return page.evaluate(
    `[performance.getEntriesByType("navigation")[0].responseStatus, document.body.textContent]`,
  );
};

/** Submits a form to the app from a page of another app, with this browser's token if the page can read it. */
const attack = async (page: Visit, target: string): Promise<[status: number, text: string]> => {
  const [, token = "guessed"] = /_csrf=([^;]*)/.exec(await page.evaluate("document.cookie")) ?? [];
  await page.evaluate(`document.body.innerHTML = ${JSON.stringify(formTo(`${target}/books`, token))}`);
  return submit(page);
};

const rejection = /CSRF token validation failed/;

inChromium({
  "the service's own form is accepted, and its own script only with the token in a header field": async ({
    serve,
    visit,
  }) => {
    const { url } = await serve(books());
    const page = await visit(url);
    const [, token = ""] = /_csrf=([^;]*)/.exec(await page.evaluate("document.cookie")) ?? [];
    const post = (headers: Record<string, string>) =>
      page.run(fetchInPage, `${url}/books`, {
        method: "POST",
        headers: { ...headers, "content-type": "application/x-www-form-urlencoded" },
        body: "title=Dune",
      });
    assert.equal((await post({})).status, 403);
    assert.equal((await post({ "x-csrf-token": token })).status, 200);
    const [status, text] = await submit(page);
    assert.deepEqual([status, text], [200, "Emma"]);
  },

  "a form of another site is refused because of its fetch metadata": async ({ serve, visit }) => {
    const app = books();
    const [site, otherSite] = [await serve(app), await serve(emptyPage())];
    const page = await visit(site.url);
    await page.goTo(otherSite.as("localhost"));
    const [status, text] = await attack(page, site.url);
    assert.equal(status, 403);
    assert.match(text, rejection);
    const [request] = app.received("/books");
    assert.deepEqual(
      [request?.headers["sec-fetch-site"], request?.headers["cookie"]],
      ["cross-site", undefined],
    );
  },

  "over plain HTTP, without fetch metadata, a form of another port that has the token is refused because of its Origin":
    async ({ serve, visit }) => {
      const app = books();
      const [site, otherPort] = [await serve(app), await serve(emptyPage())];
      const page = await visit(site.as("good.example"));
      assert.equal((await submit(page))[0], 200);
      await page.goTo(otherPort.as("good.example"));
      assert.equal((await attack(page, site.as("good.example")))[0], 403);
      const [, request] = app.received("/books");
      assert.deepEqual(
        [request?.headers["sec-fetch-site"], request?.headers["origin"]],
        [undefined, otherPort.as("good.example")],
      );
      assert.match(request?.headers["cookie"] ?? "", /_csrf=/);
    },

  "a form from another port of the same host is refused, although it has the token": async ({
    serve,
    visit,
  }) => {
    const app = books();
    const [site, otherPort] = [await serve(app), await serve(emptyPage())];
    const page = await visit(site.url);
    await page.goTo(otherPort.url);
    assert.equal((await attack(page, site.url))[0], 403);
    const [request] = app.received("/books");
    assert.equal(request?.headers["sec-fetch-site"], "same-site");
    assert.match(request?.headers["cookie"] ?? "", /_csrf=/);
  },

  "a form from a trusted origin with the token is accepted": async ({ serve, visit }) => {
    const otherPort = await serve(emptyPage());
    const site = await serve(books({ trustedOrigins: [otherPort.url] }));
    const page = await visit(site.url);
    await page.goTo(otherPort.url);
    assert.deepEqual(await attack(page, site.url), [200, "Emma"]);
  },

  "a form in a sandboxed frame of the service's own page is refused": async ({ serve, visit }) => {
    const app = books();
    app.get("/framed", (request) => {
      const form = formTo("/books", csrfToken(request)).replaceAll('"', "'");
      const script = "<script>document.forms[0].submit()</script>";
      return pageOf(`<iframe sandbox="allow-forms allow-scripts" srcdoc="${form}${script}"></iframe>`);
    });
    const { url } = await serve(app);
    await visit(`${url}/framed`);
    await waitFor(() => app.received("/books")[0]?.status, { subject: "the form" });
    assert.deepEqual(summarize(app.received("/books")), ["POST 403"]);
    assert.equal(app.received("/books")[0]?.headers["origin"], "null");
  },

  "a script of another site is refused without a preflight, and reads nothing": async ({ serve, visit }) => {
    const app = books();
    const [site, otherSite] = [await serve(app), await serve(emptyPage())];
    const page = await visit(otherSite.as("localhost"));
    const { status } = await page.run(fetchInPage, `${site.url}/books`, {
      method: "POST",
      mode: "no-cors",
      credentials: "include",
      body: "title=Emma",
    });
    assert.equal(status, 0);
    assert.deepEqual(summarize(app.received("/books")), ["POST 403"]);
  },
});
