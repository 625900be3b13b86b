import { readFileSync } from "node:fs";
import { FrameworkError } from "@framework/core";

/** Reads a package.json; a byte order mark is skipped. @throws CLI_BAD_PACKAGE_JSON with the path, when it cannot be read or is not a JSON object */
export const readPackageJson = (path: string): Readonly<Record<string, unknown>> => {
  try {
    return parsePackageJson(readFileSync(path, "utf8"));
  } catch (cause) {
    const reason = (cause as Error).message;
    throw new FrameworkError("CLI_BAD_PACKAGE_JSON", `${path} cannot be read: ${reason}`, { cause });
  }
};

/** Parses the text of a package.json. @throws an `Error` with the reason when it is not a JSON object */
export const parsePackageJson = (text: string): Readonly<Record<string, unknown>> => {
  const value: unknown = JSON.parse(text.replace(BYTE_ORDER_MARK, ""));
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Error("it is not a JSON object");
  return value as Readonly<Record<string, unknown>>;
};

/** npm and Node accept it before JSON; some editors write it. */
export const BYTE_ORDER_MARK: RegExp = /^\u{feff}/u;
