import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import {
  decodeMetrics,
  decodeSpans,
  type ReceivedMetric,
  type ReceivedSpan,
} from "./otlp-decoder.test-kit.ts";

/** A running receiver and the data that it has received. */
export interface Received {
  readonly url: string;
  readonly spans: ReceivedSpan[];
  /** Latest state of each metric. */
  readonly metrics: Map<string, ReceivedMetric>;
  /** Every metric of every export. */
  readonly exported: ReceivedMetric[];
  readonly requests: { readonly path: string; readonly headers: IncomingMessage["headers"] }[];
  close(): Promise<void>;
}

/** Replies to an export with a failure, or leaves the reply to the receiver. Returns true if it has handled the reply. */
export type Fault = (reply: ServerResponse, count: number) => boolean;

/** Starts an HTTP collector that decodes its requests. */
export const startReceiver = async (fault: Fault = () => false): Promise<Received> => {
  const spans: ReceivedSpan[] = [];
  const metrics = new Map<string, ReceivedMetric>();
  const exported: ReceivedMetric[] = [];
  const requests: { path: string; headers: IncomingMessage["headers"] }[] = [];
  const server = createServer((request, reply) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      requests.push({ path: request.url ?? "", headers: request.headers });
      if (fault(reply, requests.length)) return;
      const raw = Buffer.concat(chunks);
      const bytes = request.headers["content-encoding"] === "gzip" ? gunzipSync(raw) : raw;
      if (request.url?.endsWith("/traces") === true) spans.push(...decodeSpans(bytes));
      else
        for (const metric of decodeMetrics(bytes)) {
          metrics.set(metric.name, metric);
          exported.push(metric);
        }
      reply.writeHead(200, { "content-type": "application/x-protobuf" }).end();
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    metrics,
    exported,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
