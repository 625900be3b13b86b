import { randomBytes } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "@jest/globals";
import type { Payload } from "../exchange/payload.ts";
import { payloadBytes } from "./readable-stream.ts";

/** Files of several sizes and types in a new folder. */
export interface TestFiles {
  /** Returns the path of a file. */
  readonly pathOf: (name: string) => string;
  /** Content of `large.bin`. */
  readonly large: Buffer;
  /** Content of the files that tests read completely, by name. */
  readonly contentOf: Readonly<Record<string, Buffer>>;
  /** Files in the folder that this process has open. */
  readonly openFiles: () => readonly string[];
}

/** Creates a folder with files, which is deleted after the tests of the file. */
export const testFiles = (): TestFiles => {
  const folder = mkdtempSync(join(tmpdir(), "file-reply-"));
  const large = randomBytes(1_048_576);
  const pathOf = (name: string) => join(folder, name);
  writeFileSync(pathOf("empty.txt"), "");
  writeFileSync(pathOf("one.txt"), "x");
  writeFileSync(pathOf("large.bin"), large);
  writeFileSync(pathOf("page.html"), "<p>é</p>");
  mkdirSync(pathOf("folder"));
  symlinkSync(pathOf("page.html"), pathOf("link.html"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const openFiles = () =>
    readdirSync("/proc/self/fd")
      .map((fd) => {
        try {
          return readlinkSync(`/proc/self/fd/${fd}`);
        } catch {
          return ""; // the descriptor that listed the directory
        }
      })
      .filter((path) => path.startsWith(folder));
  const contentOf = { "empty.txt": Buffer.of(), "one.txt": Buffer.from("x"), "large.bin": large };
  return { pathOf, large, contentOf, openFiles };
};

export const bytesOf = async (payload: Payload): Promise<Buffer> => Buffer.from(await payloadBytes(payload));
