import type { Metric, Sample } from "@framework/core/feature";

/** Reason for which the server closed a connection. */
export type CloseReason = "idle" | "drain" | "requests" | "flood" | "slow" | "silent" | "error";

/** Counters of the HTTP/2 connections of a process, for metrics. */
export class Http2Totals {
  connections = 0;
  streams = 0;
  refusedStreams = 0;
  private readonly closed: Record<CloseReason, number> = {
    idle: 0,
    drain: 0,
    requests: 0,
    flood: 0,
    slow: 0,
    silent: 0,
    error: 0,
  };

  /** Counts a connection that the server closes. */
  countClose(reason: CloseReason): void {
    this.closed[reason]++;
  }

  metrics(): Metric[] {
    const closedBy = (): Sample[] =>
      Object.entries(this.closed).map(([reason, value]) => ({ value, labels: { reason } }));
    return [
      gauge("http2_connections", "Open HTTP/2 connections.", () => this.connections),
      gauge("http2_streams", "Requests over HTTP/2 in progress.", () => this.streams),
      counter(
        "http2_streams_refused_total",
        "Requests over HTTP/2 that were refused because too many handlers were running.",
        () => this.refusedStreams,
      ),
      counter("http2_connections_closed_total", "HTTP/2 connections that the server closed.", closedBy),
    ];
  }
}

const gauge = (name: string, help: string, read: Metric["read"]): Metric => ({
  name,
  help,
  type: "gauge",
  read,
});
const counter = (name: string, help: string, read: Metric["read"]): Metric => ({
  name,
  help,
  type: "counter",
  read,
});
