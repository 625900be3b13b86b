import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { FrameworkError } from "@framework/core";
import { httpClient } from "../http/http-client.ts";

const MAX_DOCUMENT_BYTES = 33_554_432;

/** Kind of the source of a document. */
export type SourceKind = "url" | "module" | "file";

/** Returns the kind of a source by its text. */
export const sourceKind = (source: string): SourceKind => {
  if (/^https?:\/\//i.test(source)) return "url";
  return /\.[cm]?[jt]s$/.test(source) ? "module" : "file";
};

/**
 * Reads an OpenAPI document in JSON from a URL, a file, or the app that a module exports.
 *
 * @param path path of the document in an app
 * @throws FrameworkError CLIENT_BAD_DOCUMENT with the reason
 */
export const readDocument = async (source: string, path: string): Promise<unknown> => {
  const readers = { url: readUrl, module: readModule, file: readJsonFile };
  try {
    return JSON.parse(await readers[sourceKind(source)](source, path));
  } catch (error) {
    const reason = Error.isError(error) ? error.message : String(error);
    const shown = source.replace(/^(https?:\/\/)[^/?#]*@/i, "$1"); // without user and password
    throw new FrameworkError("CLIENT_BAD_DOCUMENT", `cannot read ${shown}: ${reason}`, { cause: error });
  }
};

const readJsonFile = async (source: string): Promise<string> =>
  (await readFile(source, "utf8")).replace(/^\uFEFF/, ""); // editors may write a byte order mark

const readUrl = async (source: string): Promise<string> => {
  const { origin, pathname, search, username, password } = new URL(source);
  const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const headers = user === ":" ? {} : { authorization: `Basic ${Buffer.from(user).toString("base64")}` };
  await using http = httpClient({ baseUrl: origin, maxReplyBytes: MAX_DOCUMENT_BYTES, headers });
  return await textOf(await http.request(pathname + search), "SOURCE must be the URL of the document"); // awaited, because the client closes afterwards
};

interface FetchingApp {
  fetch(request: Request): Promise<Response>;
  stop?(): Promise<void>;
}

const isApp = (value: unknown): value is FetchingApp =>
  typeof value === "object" && value !== null && "fetch" in value && typeof value.fetch === "function";

/** Returns the app that the default export or `createApp` creates. */
const appOfFactory = async (exported: Readonly<Record<string, unknown>>): Promise<FetchingApp | null> => {
  const create = [exported["default"], exported["createApp"]].find((value) => typeof value === "function");
  const app: unknown = create === undefined ? null : await (create as () => unknown)();
  return isApp(app) ? app : null;
};

/** Requests the document from the app, without a port, and stops the app. */
const readModule = async (source: string, path: string): Promise<string> => {
  const exported = (await import(pathToFileURL(resolve(source)).href)) as Record<string, unknown>;
  const app =
    [exported["default"], exported["app"], ...Object.values(exported)].find(isApp) ??
    (await appOfFactory(exported));
  if (app === null)
    throw new Error(
      "the module exports neither an app, such as `export const app = new App()`, nor a function `createApp`",
    );
  try {
    const reply = await app.fetch(new Request(new URL(path, "http://localhost")));
    return await textOf(
      reply,
      "the app must call enableOpenapi, and --document must be the path of the document",
    );
  } finally {
    await app.stop?.();
  }
};

const textOf = async (reply: Response, remedy: string): Promise<string> => {
  if (reply.ok) return reply.text();
  await reply.body?.cancel();
  throw new Error(`status ${reply.status}; ${remedy}`);
};
