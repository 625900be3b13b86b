import { App, Response } from "@framework/core";

/** A page of HTML. */
export const pageOf = (body: string): Response => Response.html(`<!doctype html><title>page</title>${body}`);

/** An app whose only page is empty: an origin for calls to other apps. */
export const emptyPage = (): App => {
  const app = new App();
  app.get("/", () => pageOf(""));
  return app;
};

/** What a page reads of a reply, or its error; runs in the page. */
export const ask = async (url: string, init: RequestInit = {}) => {
  try {
    const reply = await fetch(url, init);
    return { status: reply.status, headers: Object.fromEntries(reply.headers), text: await reply.text() };
  } catch (error) {
    return { status: 0, headers: {} as Record<string, string>, text: String(error) };
  }
};
