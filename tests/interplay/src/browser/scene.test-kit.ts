import { after, test } from "node:test";
import { type Chromium, noChromium, startChromium, type Visit } from "@framework/browser";
import type { App, Logger, Running, RunOptions } from "@framework/core";

/** The context of a fact. */
export interface Scene {
  readonly transport: "fast" | "node";
  /** Serves an app on a new port for the duration of the fact. */
  serve(app: App, options?: RunOptions): Promise<Site>;
  /** Opens a page in a new tab, without cookies or cache. */
  visit(url: string): Promise<Visit>;
}

/** An app that is served. */
export interface Site {
  /** Its origin, `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** The same app under another name: `localhost`, or one in `.example`; another site for a browser. */
  as(host: "localhost" | "good.example" | "evil.example"): string;
  /** Stops it now. */
  close(): Promise<void>;
}

export type Facts = Readonly<Record<string, (scene: Scene) => Promise<void>>>;

/** Registers every fact once for each transport; all share one Chromium. */
export const inChromium = (facts: Facts): void => {
  const skip = noChromium();
  let chromium: Promise<Chromium> | undefined;
  const browser = () => (chromium ??= startChromium({ hosts: ["localhost", "*.example"] }));
  after(async () => {
    await (await chromium)?.[Symbol.asyncDispose]();
  });
  for (const transport of ["fast", "node"] as const) {
    for (const [name, fact] of Object.entries(facts)) {
      void test(`${name} (${transport} transport)`, { skip, timeout: 30_000 }, async ({ signal }) => {
        await using stack = new AsyncDisposableStack();
        // a fact that hangs would keep its servers open, and they this process
        signal.addEventListener("abort", () => void stack.disposeAsync());
        await fact({
          transport,
          serve: async (app, options) => {
            const running = await app.run({ ...runOptions, transport, ...options });
            stack.defer(running.close);
            return siteOf(running);
          },
          visit: async (url) => stack.use(await (await browser()).visit(url)),
        });
      });
    }
  }
};

const siteOf = ({ url, port, close }: Running): Site => ({
  url,
  close,
  as: (host) => `http://${host}:${port}`,
});

const silent: Logger = { info() {}, warn() {}, error() {} };

const runOptions: RunOptions = {
  host: "127.0.0.1",
  port: 0,
  workers: 1,
  argv: [],
  environment: {},
  logs: false,
  log: silent,
  exitOnError: false,
};
