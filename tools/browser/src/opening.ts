import { startChromium, type View } from "./chromium.ts";
import type { Visit } from "./visit.ts";

/** How the app is run: on a free port, and without what this machine sets. */
interface RunOptions {
  readonly host: string;
  readonly port: number;
  readonly argv: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly logs: boolean;
  readonly workers: number;
}

/** An app of the framework, as far as a visit needs it. */
interface Runs {
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

/** Runs an app for as long as a page of it is looked at. @param facts gets the address of the app without a slash at its end */
export const opening = async (
  app: Runs,
  path: string,
  facts: (visit: Visit, url: string) => Promise<void>,
  view: View = {},
): Promise<void> => {
  const running = await app.run(options);
  try {
    await using chromium = await startChromium();
    const url = running.url.replace(/\/$/, "");
    await facts(await chromium.visit(`${url}${path}`, view), url);
  } finally {
    await running.close();
  }
};
