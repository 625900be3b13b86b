import { parseContentType } from "./content-type.ts";
import type { MediaType } from "../http/media-type.ts";
import type { ParsedForm } from "./form-data.ts";
import { MultipartLimits } from "./multipart-limits.ts";
import { MultipartParser } from "./multipart-parser.ts";
import { parseMultipart } from "./multipart.ts";

export const TYPE: MediaType | null = parseContentType("multipart/form-data; boundary=X");
export const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
export const parse = (text: string, limits: Parameters<typeof parseMultipart>[2] = {}): ParsedForm =>
  parseMultipart(bytes(text), TYPE, limits);

export const part = (head: string, content = ""): string => `--X\r\n${head}\r\n\r\n${content}\r\n`;
export const field = (name: string, value: string): string =>
  part(`Content-Disposition: form-data; name="${name}"`, value);
export const file = (filename: string, content: string, name = "f"): string =>
  part(
    `Content-Disposition: form-data; name="${name}"; filename="${filename}"\r\nContent-Type: image/png`,
    content,
  );
export const END = "--X--\r\n";

export const thrownBy = (run: () => unknown): unknown => {
  try {
    return run();
  } catch (error) {
    return error;
  }
};

/** Reads the complete content of a form, for comparison. */
export const contentOf = async ({
  form,
  files,
}: ParsedForm): Promise<{ readonly fields: readonly unknown[]; readonly files: readonly unknown[] }> => ({
  fields: [...form],
  files: await Promise.all(
    files.map(async (one) => [
      one.name,
      one.filename,
      one.contentType,
      Buffer.from(await one.read()).toString("latin1"),
    ]),
  ),
});

/** Parses a body that is split at the given positions. */
export const parseSplit = (body: Uint8Array, cuts: readonly number[], boundary = "X"): ParsedForm => {
  const parser = new MultipartParser(boundary, MultipartLimits.of());
  const ends = [...new Set([...cuts.map((cut) => cut % (body.length + 1)), body.length])].sort(
    (a, b) => a - b,
  );
  let start = 0;
  for (const end of ends) {
    parser.push(body.slice(start, end));
    start = end;
  }
  return parser.end();
};
