import type { OutgoingHttpHeaders } from "node:http2";
import { orderText } from "../servers/workload.ts";

/** One request of a workload. */
export interface Http2Ask {
  readonly fields: OutgoingHttpHeaders;
  readonly body?: string;
}

/** A kind of request. */
export interface Http2Workload {
  readonly name: string;
  /** The request with a number: the same requests in every run and for every server. */
  request(number: number): Http2Ask;
}

const common = { accept: "application/json", "user-agent": "bench" };

/** Four fields of a browser behind a proxy, new in each request. */
const changing = (number: number): OutgoingHttpHeaders => ({
  "user-agent": `Mozilla/5.0 (X11; Linux x86_64) Chrome/${130 + (number % 7)}.0.${number}.0`,
  cookie: `session=${(number * 2_654_435_761).toString(36)}; theme=dark`,
  "x-forwarded-for": `203.0.${(number >> 8) & 255}.${number & 255}`,
  "x-request-id": `${number}-0f9d1c52-6a43-4c1e`,
});

/** What is measured: one request again and again, another path each time, another head each time, and a body. */
export const http2Workloads: readonly Http2Workload[] = [
  { name: "json", request: () => ({ fields: { ":path": "/json", ...common } }) },
  { name: "param", request: (number) => ({ fields: { ":path": `/users/${number}`, ...common } }) },
  {
    name: "varied",
    request: (number) => ({
      fields: { ":path": `/users/${number}`, accept: "application/json", ...changing(number) },
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
