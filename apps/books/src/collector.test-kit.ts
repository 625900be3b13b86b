import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A received span. Ids are hexadecimal; `parent` is empty for the first span of a trace. */
export interface CollectedSpan {
  readonly trace: string;
  readonly id: string;
  readonly parent: string;
  readonly name: string;
}

/** An OTLP collector over HTTP that decodes the ids and names of spans. */
export interface Collector extends AsyncDisposable {
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
}

export const startCollector = async (): Promise<Collector> => {
  const spans: CollectedSpan[] = [];
  const server = createServer((request, reply) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      if (request.url === "/v1/traces") spans.push(...spansOf(Buffer.concat(chunks)));
      reply.writeHead(200).end();
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
};

/** Decodes an ExportTraceServiceRequest: resource spans (field 1) contain scope spans (2), which contain spans (2). */
const spansOf = (request: Buffer): CollectedSpan[] =>
  fieldValues(request, 1)
    .flatMap((resourceSpans) => fieldValues(resourceSpans, 2))
    .flatMap((scopeSpans) => fieldValues(scopeSpans, 2))
    .map((span) => {
      const hex = (field: number): string => fieldValues(span, field)[0]?.toString("hex") ?? "";
      return { trace: hex(1), id: hex(2), parent: hex(4), name: fieldValues(span, 5).join("") };
    });

/** Returns the values of a length-delimited field of a protobuf message: strings, bytes, messages. */
const fieldValues = (message: Buffer, field: number): Buffer[] => {
  const found: Buffer[] = [];
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = message.readUInt8(at++);
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  while (at < message.length) {
    const tag = varint();
    const wire = tag & 7;
    if (wire === 0) varint();
    else {
      const length = wire === 2 ? varint() : wire === 1 ? 8 : 4;
      if (tag >> 3 === field) found.push(message.subarray(at, at + length));
      at += length;
    }
  }
  return found;
};
