import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { socketClient } from "@framework/testing";
import { type Dispatcher, request } from "undici";
import { testClock } from "../cached-app.test-kit.ts";
import { originApp, type SuiteServer } from "./origin.test-kit.ts";
import { createRealm } from "./realm.test-kit.ts";

/** An edition of the public suite: the package on npm, or a clone of its repository, whose tests are newer. */
export interface Edition {
  readonly name: "npm" | "repository";
  readonly home: URL;
}

/** A test of the suite with its outcome. */
export interface Verdict {
  readonly id: string;
  readonly kind: "required" | "optimal" | "check";
  /** Reason of the failure, `null` if it passed. */
  readonly failure: string | null;
}

interface SuiteTest {
  readonly id: string;
  readonly kind?: Verdict["kind"];
  readonly browser_only?: boolean;
}

interface TestSet {
  readonly id: string;
  readonly tests: readonly SuiteTest[];
}

type Results = Readonly<Record<string, true | readonly [name: string, message: string]>>;

/** The tests of `CDN-Cache-Control`, which is for content delivery networks (RFC 9213). */
const OTHER_CACHES = "cdn-cache-control";
/** Timeout after which the client of the repository's edition aborts a request, in milliseconds. */
const ABORT_MS = 10_000;

/** Returns the edition in a folder, by default the one from npm. */
export const editionIn = (folder?: string): Edition => {
  if (folder === undefined) {
    return { name: "npm", home: new URL("./", import.meta.resolve("http-cache-tests/package.json")) };
  }
  return { name: "repository", home: pathToFileURL(`${folder}/`) };
};

/** Runs the suite's own client over a socket against its own server, through the cache; tests run sequentially. */
export const runSuite = async ({ name, home }: Edition): Promise<readonly Verdict[]> => {
  const engine = name === "npm" ? home : new URL("test-engine/", home);
  if (!existsSync(new URL("client/runner.mjs", engine))) throw new Error(`the suite is not in ${home.href}`);
  const clock = testClock();
  const load = createRealm(clock, send, ABORT_MS);
  const { default: handleTest } = await load(new URL("server/handle-test.mjs", engine));
  const server = { ...(await load(new URL("server/utils.mjs", engine))), handleTest } as SuiteServer;
  const { default: all } = await load(new URL("tests/index.mjs", home));
  const sets = (all as readonly TestSet[]).filter(({ id }) => id !== OTHER_CACHES);
  const { runTests, getResults } = await load(new URL("client/runner.mjs", engine));

  await using service = socketClient(originApp(server, clock));
  const base = new URL(await service.url("/")).origin;
  const run = runTests as (...values: unknown[]) => Promise<void>;
  await (name === "npm" ? run(sets, send, false, base, 1) : run(sets, false, base, 1));
  return verdicts(sets, (getResults as () => Results)());
};

const verdicts = (sets: readonly TestSet[], results: Results): readonly Verdict[] =>
  sets
    .flatMap(({ tests }) => tests)
    .filter((test) => test.browser_only !== true)
    .map(({ id, kind = "required" }) => {
      const result = results[id];
      return { id, kind, failure: result === true ? null : (result?.[1] ?? "it did not run") };
    });

/** Sends a request like `fetch`, but without additional header fields: Node's `fetch` adds some to conditional requests, as browsers do. */
const send = async (
  url: string,
  { method = "GET", headers = [], body = null, dispatcher }: SuiteRequest = {},
): Promise<SuiteReply> => {
  const options = { method, headers: headers.flat(), body, ...(dispatcher !== undefined && { dispatcher }) };
  const reply = await request(url, options as Parameters<typeof request>[1]);
  const fields = Object.entries(reply.headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((line): [string, string] => [name, line]),
  );
  const text = await reply.body.text();
  return { status: reply.statusCode, headers: new Headers(fields), text: async () => text };
};

interface SuiteRequest {
  readonly method?: string;
  readonly headers?: readonly (readonly [string, string])[];
  readonly body?: string | null;
  readonly dispatcher?: Dispatcher;
}

interface SuiteReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: () => Promise<string>;
}
