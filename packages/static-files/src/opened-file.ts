import type { FileHandle } from "node:fs/promises";

/** An open regular file, with its metadata when it was opened. */
export class OpenedFile {
  readonly size: number;
  /** Last modification in Unix nanoseconds. */
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

  /** Reads into `bytes` from a position; returns the number of bytes, 0 at the end. */
  async read(bytes: Uint8Array, position: number): Promise<number> {
    const { bytesRead } = await this.handle.read(bytes, 0, bytes.byteLength, position);
    return bytesRead;
  }

  /** Closes the file once, after pending reads. */
  close(): Promise<void> {
    this.closing ??= this.handle.close().finally(this.onClose);
    return this.closing;
  }
}
