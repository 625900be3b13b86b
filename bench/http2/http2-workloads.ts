import type { OutgoingHttpHeaders } from "node:http2";
import { orderText } from "../servers/workload.ts";

/** One request of a workload. */
export interface Http2Request {
  readonly fields: OutgoingHttpHeaders;
  readonly body?: string;
}

/** A kind of request. */
export interface Http2Workload {
  readonly name: string;
  /** Returns the request with this number: the same requests in every run and for every server. */
  request(number: number): Http2Request;
}

const common = { accept: "application/json", "user-agent": "bench" };

/** Returns four fields of a browser behind a proxy, with different values in each request. */
const variedFields = (number: number): OutgoingHttpHeaders => ({
  "user-agent": `Mozilla/5.0 (X11; Linux x86_64) Chrome/${130 + (number % 7)}.0.${number}.0`,
  cookie: `session=${(number * 2_654_435_761).toString(36)}; theme=dark`,
  "x-forwarded-for": `203.0.${(number >> 8) & 255}.${number & 255}`,
  "x-request-id": `${number}-0f9d1c52-6a43-4c1e`,
});

/** All workloads: the same request repeatedly, a different path each time, a different head each time, and a body. */
export const http2Workloads: readonly Http2Workload[] = [
  { name: "json", request: () => ({ fields: { ":path": "/json", ...common } }) },
  { name: "param", request: (number) => ({ fields: { ":path": `/users/${number}`, ...common } }) },
  {
    name: "varied",
    request: (number) => ({
      fields: { ":path": `/users/${number}`, accept: "application/json", ...variedFields(number) },
    }),
  },
  {
    name: "echo",
    request: () => ({
      fields: {
        ":method": "POST",
        ":path": "/echo",
        "content-type": "application/json",
        "content-length": orderText.length,
        ...common,
      },
      body: orderText,
    }),
  },
];
