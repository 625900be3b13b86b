import { App, Response } from "@framework/core";

/** Creates an HTML page. */
export const pageOf = (body: string): Response => Response.html(`<!doctype html><title>page</title>${body}`);

/** Creates an app with one empty page, as an origin for requests to other apps. */
export const emptyPage = (): App => {
  const app = new App();
  app.get("/", () => pageOf(""));
  return app;
};

/** Runs in the page: fetches a URL and returns the part of the reply that the page can read, or the error as text with status 0. */
export const fetchInPage = async (url: string, init: RequestInit = {}) => {
  try {
    const reply = await fetch(url, init);
    return { status: reply.status, headers: Object.fromEntries(reply.headers), text: await reply.text() };
  } catch (error) {
    return { status: 0, headers: {} as Record<string, string>, text: String(error) };
  }
};
