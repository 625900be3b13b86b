import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { generateClient } from "../generator/generate-client.ts";
import type { ClientOptions } from "./create-client.ts";

/** A client whose operations are known only at run time. */
export type AnyClient = Readonly<Record<string, (input?: object) => Promise<AnyReply>>> & AsyncDisposable;

/** A reply without its type. */
export interface AnyReply {
  readonly status: number;
  readonly ok: boolean;
  readonly headers: Headers;
  readonly body: unknown;
}

/** Writes the client of a document, and imports it. */
export const importClient = async (
  document: unknown,
): Promise<(baseUrl: string, options?: ClientOptions) => AnyClient> => {
  const folder = mkdtempSync(join(tmpdir(), "framework-client-"));
  try {
    const file = join(folder, "client.ts");
    writeFileSync(file, generateClient(document, { runtime: join(import.meta.dirname, "../index.ts") }));
    return ((await import(pathToFileURL(file).href)) as { createClient: never }).createClient;
  } finally {
    rmSync(folder, { recursive: true });
  }
};
