import type { RequestSource } from "@framework/core/feature";

const nothing: Uint8Array = new Uint8Array(0);

/** Parts of a request. */
export interface RequestInMemory {
  readonly method: "GET" | "POST";
  readonly target: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

/** The source of a request without a socket. */
export class MemorySource implements RequestSource {
  readonly method: string;
  readonly target: string;
  readonly scheme = "http";
  readonly authority = "localhost";
  readonly remoteAddress = "192.0.2.7";
  readonly fields: readonly string[];
  readonly bodyLength: number;
  readonly buffered: Uint8Array | null;
  private readonly values: Readonly<Record<string, string>>;
  private listeners: ((end: "sent") => void)[] | null = null;
  private ended = false;

  constructor({ method, target, fields, body = nothing }: RequestInMemory) {
    this.method = method;
    this.target = target;
    this.values = fields;
    this.fields = Object.entries(fields).flat();
    this.bodyLength = body.byteLength;
    this.buffered = body;
  }

  field(name: string): string | null {
    return this.values[name] ?? null;
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    if (this.buffered !== null && this.buffered.byteLength > 0) yield this.buffered;
  }

  onEnd(listener: (end: "sent") => void): void {
    if (this.ended) listener("sent");
    else (this.listeners ??= []).push(listener);
  }

  /** Signals that the reply was sent. */
  end(): void {
    this.ended = true;
    for (const listener of this.listeners ?? []) listener("sent");
  }
}
