import type { Environment, Running } from "@framework/core";
import { waitFor } from "@framework/testing";
import type { BooksApp } from "./books-app.ts";
import { createBooksApp } from "./app.ts";
import { booksSettings } from "./settings.ts";

const quiet = { info() {}, warn() {}, error() {} };

/** A running service. */
export interface BooksService {
  readonly app: BooksApp;
  readonly service: Running;
  /** Link of the dev page; `null` without one. */
  readonly page: URL | null;
}

/** Starts the service, runs a test with it, and stops it. */
export const withService = async (
  env: Environment,
  facts: (service: BooksService) => Promise<void>,
  variables: Readonly<Record<string, string>> = {},
): Promise<void> => {
  const settings = { DATABASE_URL: "sqlite://:memory:", BOOKS_LOG: "silent", ...variables };
  const app = createBooksApp(booksSettings(settings));
  const options = { host: "127.0.0.1", port: 0, argv: [], environment: {}, workers: 1, exitOnError: false };
  const service = await app.run({ ...options, env, debug: env === "development", log: quiet });
  try {
    await facts({ app, service, page: app.devtoolsUrl === null ? null : new URL(app.devtoolsUrl) });
  } finally {
    await service.close();
  }
};

/** The state of a panel, as sent by the live stream. */
export interface PanelSnapshot {
  readonly name: string;
  readonly content: {
    readonly rows: readonly {
      readonly id: string;
      readonly cells: readonly unknown[];
      readonly actions?: readonly string[];
    }[];
  };
  readonly actions: readonly { readonly name: string; readonly on: "row" | "panel" }[];
}

/** The result of a call. */
export interface Outcome {
  readonly ok: boolean;
  readonly message: string | null;
}

/** The live stream, as received by a page. */
export interface LiveStream {
  readonly text: () => string;
  /** The latest state of a panel. */
  readonly panel: (name: string) => PanelSnapshot | undefined;
  readonly panels: () => readonly PanelSnapshot[];
  readonly stop: () => void;
}

/** A client of the dev page, which sends the same requests as the page in a browser. */
export const pageOf = (url: URL | null) => {
  if (url === null) throw new Error("there is no dev page");
  const headers = {
    authorization: `Bearer ${url.hash.slice("#token=".length)}`,
    "content-type": "application/json",
    origin: url.origin,
  };
  const post = (body: object, own: Readonly<Record<string, string>> = headers): Promise<Response> =>
    fetch(new URL("/call", url), { method: "POST", headers: own, body: JSON.stringify(body) });
  const call = async (body: object): Promise<unknown> => (await post(body)).json();
  return {
    headers,
    post,
    act: (
      panel: string,
      action: string,
      row: string | null,
      texts: Readonly<Record<string, string>> = {},
    ): Promise<Outcome> => call({ do: "act", panel, action, row, texts }) as Promise<Outcome>,
    details: (panel: string, row: string) => call({ do: "details", panel, row }),
    async listen(): Promise<LiveStream> {
      const end = new AbortController();
      const reply = await fetch(new URL("/live", url), { headers, signal: end.signal });
      let text = "";
      void (async () => {
        for await (const chunk of reply.body ?? []) text += new TextDecoder().decode(chunk as Uint8Array);
      })().catch(() => {}); // stopped below
      const panels = (): readonly PanelSnapshot[] => {
        const found = [...text.matchAll(/^data: (\{"type":"panel".*)$/gm)].map(
          ([, data = ""]) => (JSON.parse(data) as { readonly panel: PanelSnapshot }).panel,
        );
        return [...new Map(found.map((panel) => [panel.name, panel])).values()];
      };
      return {
        text: () => text,
        panels,
        panel: (name) => panels().find((panel) => panel.name === name),
        stop: () => end.abort(),
      };
    },
  };
};

/**
 * Runs a service and opens its dev page. The service has books on loan, an order that waits for its parcel, three orders that wait for an operator, rebuilt
 * views of which one has lost its table, and two invalid messages.
 */
export const withFilledPanels = (
  facts: (service: BooksService, live: LiveStream) => Promise<void>,
  variables: Readonly<Record<string, string>> = {},
): Promise<void> =>
  withService(
    "development",
    async (books) => {
      const { app, service, page } = books;
      const send = async (method: string, path: string, body: object): Promise<void> => {
        const headers = { "content-type": "application/json" };
        const reply = await fetch(`${service.url}${path}`, { method, headers, body: JSON.stringify(body) });
        if (!reply.ok) throw new Error(`${method} ${path} got ${reply.status}`);
      };
      await send("POST", "/books", { title: "Emma" });
      await send("POST", "/books/1/loan", { member: "ann" });
      await app.db.execute`DROP TABLE statistics_v2`; // so that the view fails at the next loan
      await send("POST", "/books", { title: "Persuasion" });
      await send("POST", "/books/2/loan", { member: "ann" });
      await send("PUT", "/books/1/stock", { copies: 5 });
      await send("PUT", "/orders/1", { book: 1, card: "4242" });
      for (const order of [2, 3, 4]) await send("PUT", `/orders/${order}`, { book: 1, card: "garbled" });
      for (const key of ["1", "2"]) await app.messaging.send("books", { type: "book.burnt", key, data: {} });
      const live = await pageOf(page).listen();
      const rows = (panel: string): PanelSnapshot["content"]["rows"] => live.panel(panel)?.content.rows ?? [];
      const isReady = (): boolean =>
        rows("parked").length === 2 &&
        rows("sagas").filter(({ cells }) => cells.includes("paused")).length === 3 &&
        rows("projections").some(({ actions }) => actions?.includes("resume") === true);
      await waitFor(isReady, { subject: "the panels", timeoutMs: 60_000 });
      await facts(books, live);
      live.stop();
    },
    { BOOKS_REBUILD: "1", BOOKS_GO_LIVE: "by-hand", ...variables },
  );
