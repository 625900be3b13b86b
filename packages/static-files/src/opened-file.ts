import type { FileHandle } from "node:fs/promises";

/** A regular file that is open, and what it was when it was opened. */
export class OpenedFile {
  readonly size: number;
  /** When its content changed last: nanoseconds since 1970. */
  readonly changedNs: bigint;
  private readonly handle: FileHandle;
  private readonly onClose: () => void;
  private closing: Promise<void> | null = null;

  constructor(handle: FileHandle, stats: { size: bigint; mtimeNs: bigint }, onClose: () => void) {
    this.handle = handle;
    this.size = Number(stats.size);
    this.changedNs = stats.mtimeNs;
    this.onClose = onClose;
  }

  /** Fills `bytes` from a position on; gives how many there were, 0 at the end. */
  async read(bytes: Uint8Array, position: number): Promise<number> {
    const { bytesRead } = await this.handle.read(bytes, 0, bytes.byteLength, position);
    return bytesRead;
  }

  /** Closes it once, after reads that are under way. */
  close(): Promise<void> {
    this.closing ??= this.handle.close().finally(this.onClose);
    return this.closing;
  }
}
