import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { FrameworkError } from "@framework/core";
import type { CommandInput } from "../frame/given.ts";
import type { Terminal } from "../frame/terminal.ts";

/**
 * Creates the request of a command line: its argument `path`, and the options `data` and `header`.
 *
 * @throws CLI_BAD_REPLY when it is malformed, or the file of its body cannot be read
 */
export const requestOf = async (given: CommandInput, method: string, from: BodySource): Promise<Request> => {
  const path = given.argument("path") ?? "/";
  const body = await bodyOf(given.text("data"), from);
  const headers = new Headers();
  try {
    for (const field of given.texts("header")) addField(headers, field);
    if (body !== null && !headers.has("content-type")) headers.set("content-type", typeOf(body));
    if (!path.startsWith("/") && !URL.canParse(path))
      throw new Error(`a path must start with "/", not ${JSON.stringify(path)}`);
    const url = new URL(path.startsWith("/") ? `http://localhost${path}` : path);
    return new Request(url, { method, headers, body });
  } catch (cause) {
    throw new FrameworkError("CLI_BAD_REPLY", `this request cannot be made: ${(cause as Error).message}`, {
      cause,
    });
  }
};

/** Sources of bodies: the folder for `@file`, standard input for `@-`. */
type BodySource = Pick<Terminal, "cwd" | "input">;

const bodyOf = async (
  data: string | undefined,
  { cwd, input }: BodySource,
): Promise<string | Buffer<ArrayBuffer> | null> => {
  if (data === undefined || !data.startsWith("@")) return data ?? null;
  try {
    return data === "@-" ? await input() : await readFile(resolve(cwd, data.slice(1)));
  } catch (cause) {
    throw new FrameworkError("CLI_BAD_REPLY", `the body's file cannot be read: ${(cause as Error).message}`, {
      cause,
    });
  }
};

const addField = (headers: Headers, field: string): void => {
  const colon = field.indexOf(":");
  if (colon < 1) throw new Error(`the header field ${JSON.stringify(field)} has no colon after its name`);
  headers.append(field.slice(0, colon).trim(), field.slice(colon + 1).trim());
};

const typeOf = (body: string | Buffer): string => {
  try {
    JSON.parse(body.toString());
    return "application/json";
  } catch {
    return "text/plain; charset=utf-8"; // a body that is not JSON is sent as text
  }
};
