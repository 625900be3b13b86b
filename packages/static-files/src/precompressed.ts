import type { HttpRequest } from "@framework/core";
import { negotiateEncoding } from "@framework/core/http";
import type { OpenedFile } from "./opened-file.ts";
import type { ServedFolder } from "./served-folder.ts";

/** Content codings and their file extensions, preferred first. */
const siblings: readonly (readonly [coding: string, ending: string])[] = [
  ["br", ".br"],
  ["gzip", ".gz"],
];

/** Media types that are already compressed. */
const COMPRESSED_TYPES = /^(?:audio|font\/woff|image\/(?!svg|bmp|vnd)|video)|zip|compress|zstd/;

/** Negative cache of names without a sibling: maximum entries, and lifetime of an entry. */
const MAX_ABSENT = 10_000;
const ABSENT_MS = 1000;

/** A precompressed sibling that is sent in place of its file. */
export interface PrecompressedFile {
  readonly file: OpenedFile;
  readonly coding: string;
}

/** Finds `name.br` and `name.gz` beside `name`, for clients that accept them. */
export class PrecompressedSiblings {
  private readonly folder: ServedFolder;
  private readonly now: () => number;
  private readonly absentUntil = new Map<string, number>();

  /** @param now returns monotonic milliseconds */
  constructor(folder: ServedFolder, now: () => number) {
    this.folder = folder;
    this.now = now;
  }

  /** Whether files of a type may have siblings; replies then vary with `Accept-Encoding`. */
  isCompressible(contentType: string): boolean {
    return !COMPRESSED_TYPES.test(contentType);
  }

  /** Returns the existing sibling that the client prefers; `null` if it gets the file itself. */
  async find(
    names: readonly string[],
    request: Pick<HttpRequest, "getHeader">,
  ): Promise<PrecompressedFile | null> {
    const field = request.getHeader("accept-encoding");
    if (field === null) return null;
    let offered = siblings;
    for (;;) {
      const coding = negotiateEncoding(
        field,
        offered.map(([name]) => name),
      );
      const wanted = offered.find(([name]) => name === coding);
      if (wanted === undefined) return null;
      const file = await this.open([...names.slice(0, -1), `${names.at(-1)}${wanted[1]}`]);
      if (file !== null) return { file, coding: wanted[0] };
      offered = offered.filter((sibling) => sibling !== wanted);
    }
  }

  private async open(names: readonly string[]): Promise<OpenedFile | null> {
    const key = names.join("/");
    const until = this.absentUntil.get(key);
    if (until !== undefined && until > this.now()) return null;
    const found = await this.folder.find(names);
    if (found !== null && found !== "folder") return found;
    this.noteAbsent(key);
    return null;
  }

  private noteAbsent(key: string): void {
    this.absentUntil.delete(key);
    this.absentUntil.set(key, this.now() + ABSENT_MS);
    if (this.absentUntil.size <= MAX_ABSENT) return;
    const [oldest] = this.absentUntil.keys();
    if (oldest !== undefined) this.absentUntil.delete(oldest);
  }
}
