import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { FrameworkError } from "@framework/core";
import { importInstalled } from "../app/import-installed.ts";
import { isFolder } from "../app/is-folder.ts";
import { loadApp } from "../app/load-app.ts";
import { BYTE_ORDER_MARK } from "../app/read-package-json.ts";
import { startQuietly } from "../app/start-quietly.ts";
import type { Context, Outcome, RunCommand } from "../frame/command.ts";
import type { CommandInput } from "../frame/given.ts";
import { type Line, styled } from "../frame/text.ts";
import { UsageError } from "../frame/usage-error.ts";
import { type Deadline, fetchReply, readBody, startDeadline } from "../request/fetch-reply.ts";

/** `generateClient` of `@framework/client`: the same document gives the same text. */
type GenerateClient = (document: unknown) => string;

export const writeClient: RunCommand = async (given, context) => {
  const { cwd, progress } = context;
  const output = given.argument("output") ?? "";
  const path = resolve(cwd, output);
  if (output === "-" && given.flag("check"))
    throw new UsageError("--check compares the API with a file: name one in place of -");
  if (output !== "-" && isFolder(path)) throw new UsageError(`${output} is a folder: name a file in it`);
  const { generateClient } = (await importInstalled("@framework/client", cwd)) as unknown as {
    generateClient: GenerateClient;
  };
  progress.show(0.3, "reading the document");
  const text = generateClient(await documentOf(given, context));
  if (output === "-") return { ok: true, data: { output, text }, lines: [], raw: Buffer.from(text) };
  const existing = existsSync(path) ? readFileSync(path, "utf8") : null;
  // Git may check out the file with the line breaks of Windows.
  if (given.flag("check")) return compare(output, existing?.replaceAll("\r\n", "\n") ?? null, text);
  mkdirSync(dirname(path), { recursive: true });
  if (existing !== text) writeFileSync(path, text);
  const line = existing === text ? `${output} is up to date` : `wrote ${output}`;
  return { ok: true, data: { output, changed: existing !== text }, lines: [line] };
};

const documentOf = async (
  given: CommandInput,
  { cwd, clock }: Pick<Context, "cwd" | "clock">,
): Promise<unknown> => {
  const file = given.text("document");
  if (file !== undefined) return parseDocument(file, readDocument(resolve(cwd, file)));
  const app = await loadApp(given.text("app"), cwd);
  await startQuietly(app);
  try {
    const path = given.text("path") ?? "/openapi.json";
    using deadline = startDeadline(TIMEOUT_SECS, clock);
    const reply = await fetchReply(app, new Request(new URL(path, "http://localhost")), deadline);
    if (!reply.ok)
      throw new FrameworkError(
        "CLI_NO_DOCUMENT",
        `the reply to GET ${path} has status ${reply.status}; call enableOpenapi(), or pass --path`,
      );
    return parseDocument(path, await readText(path, reply, deadline));
  } finally {
    await app.stop({ timeoutSecs: 1 });
  }
};

const TIMEOUT_SECS = 30;
const MAX_DOCUMENT_BYTES = 33_554_432;

/** @throws CLI_NO_DOCUMENT for a longer body, CLI_BAD_REPLY at the deadline */
const readText = async (path: string, reply: Response, deadline: Deadline): Promise<string> => {
  const parts: Uint8Array[] = [];
  let length = 0;
  const isWhole = await readBody(reply, deadline, (part) => {
    parts.push(part);
    length += part.byteLength;
    return length <= MAX_DOCUMENT_BYTES;
  });
  deadline.signal.throwIfAborted();
  if (isWhole) return Buffer.concat(parts).toString();
  const message = `the reply to GET ${path} is longer than ${MAX_DOCUMENT_BYTES} bytes; pass the path of the document as --path`;
  throw new FrameworkError("CLI_NO_DOCUMENT", message);
};

const readDocument = (path: string): string => {
  if (existsSync(path) && !isFolder(path)) return readFileSync(path, "utf8");
  throw new FrameworkError("CLI_NO_DOCUMENT", `there is no file ${path}`);
};

const parseDocument = (place: string, text: string): unknown => {
  try {
    return JSON.parse(text.replace(BYTE_ORDER_MARK, ""));
  } catch (cause) {
    throw new FrameworkError("CLI_NO_DOCUMENT", `${place} is not valid JSON: ${(cause as Error).message}`, {
      cause,
    });
  }
};

/** Compares line by line, and names the first line that differs. */
const compare = (output: string, existing: string | null, text: string): Outcome => {
  if (existing === text)
    return { ok: true, data: { output, isCurrent: true }, lines: [`${output} is current`] };
  const [have, want] = [(existing ?? "").split("\n"), text.split("\n")];
  const at = want.findIndex((line, index) => line !== have[index]);
  const differing = at === -1 ? want.length : at;
  const lines: readonly Line[] =
    existing === null
      ? [styled("red", `${output} does not exist`)]
      : [
          styled("red", `${output} differs from the API in line ${differing + 1}`),
          [styled("red", "- "), have[differing] ?? ""],
          [styled("green", "+ "), want[differing] ?? ""],
        ];
  return {
    ok: false,
    data: { output, isCurrent: false, line: differing + 1 },
    lines: [...lines, `write it again: framework client ${output}`],
  };
};
