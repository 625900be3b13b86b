import { startChromium, type View } from "./chromium.ts";
import type { Visit } from "./visit.ts";

/** Options of `run` for a free port, without settings of this machine. */
interface RunOptions {
  readonly host: string;
  readonly port: number;
  readonly argv: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly logs: boolean;
  readonly workers: number;
}

/** The part of an app that a visit needs. */
interface RunnableApp {
  /** Serves the app. */
  run(options: RunOptions): Promise<{ readonly url: string; close(): Promise<unknown> }>;
}

const options: RunOptions = {
  host: "127.0.0.1",
  port: 0,
  argv: [],
  environment: {},
  logs: false,
  workers: 1,
};

/** Runs an app and opens one of its pages. @param check assertions, called with the page and the address of the app without a trailing slash */
export const visitApp = async (
  app: RunnableApp,
  path: string,
  check: (visit: Visit, url: string) => Promise<void>,
  view: View = {},
): Promise<void> => {
  const running = await app.run(options);
  try {
    await using chromium = await startChromium();
    const url = running.url.replace(/\/$/, "");
    await check(await chromium.visit(`${url}${path}`, view), url);
  } finally {
    await running.close();
  }
};
