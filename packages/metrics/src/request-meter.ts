import {
  BodyStream,
  isPromise,
  knownMethods,
  mapOutput,
  payloadLength,
  waitsOnce,
} from "@framework/core/feature";
import type { Awaitable, Endpoint, HttpRequest, Middleware, Response } from "@framework/core";
import { observe, widthOf } from "./buckets.ts";
import { labelValue, seriesOf } from "./family.ts";
import { Cell, type DirtyCells } from "./dirty-cells.ts";
import { meteredBody } from "./metered-body.ts";

/** Options of `RequestMeter`. */
export interface MeterOptions {
  readonly dirty: DirtyCells;
  readonly durationBuckets: readonly number[];
  readonly sizeBuckets: readonly number[];
  readonly maxSeries: number;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/** Family of the meter's series: one list of numbers for all request metrics. */
export const REQUESTS = "";

/** Status of a request whose client disconnected before the reply: not an HTTP status, but common in logs. */
const CLIENT_CLOSED_REQUEST = 499;

const methods: readonly string[] = ["OTHER", ...knownMethods];
const methodNumbers: ReadonlyMap<string, number> = new Map(
  methods.slice(1).map((method, index) => [method, index + 1]),
);

/**
 * Counts requests by method, route pattern and status, with durations and sizes.
 *
 * A request costs two look-ups; labels are built once per series. Beyond `maxSeries` only the path becomes `overflow`: methods and statuses are few, and
 * alerts need them.
 */
export class RequestMeter {
  /** Requests without a complete reply whose client is connected. */
  inFlight = 0;
  private readonly options: MeterOptions;
  private readonly cells: Map<Endpoint | null, Map<number, Cell>> = new Map();
  /** Cells of paths beyond `maxSeries`, one for each method and status. */
  private readonly overflow: Map<number, Cell> = new Map();
  private series = 0;

  constructor(options: MeterOptions) {
    this.options = options;
  }

  get middleware(): Middleware<HttpRequest, Response> {
    const { now } = this.options;
    const decrement = (): void => void this.inFlight--;
    return waitsOnce((request, next) => {
      if (request.endpoint?.exempt.includes("telemetry") === true) return next(request);
      const startMs = now();
      this.inFlight++;
      const output = next(request);
      if (isPromise(output)) return this.countAsync(request, output, startMs);
      request.onEnd(decrement);
      return this.countReply(request, output, startMs);
    });
  }

  /** Counts the reply, or a 499 if the client disconnects before the reply. */
  private countAsync(request: HttpRequest, output: Promise<Response>, startMs: number): Awaitable<Response> {
    let isCounted = false;
    request.onEnd((end) => {
      this.inFlight--;
      if (isCounted || end !== "aborted") return;
      isCounted = true;
      this.count(request, CLIENT_CLOSED_REQUEST, startMs, 0);
    });
    return mapOutput(
      output,
      (response) => {
        if (isCounted) return response;
        isCounted = true;
        return this.countReply(request, response, startMs);
      },
      null,
    );
  }

  /** Counts the reply immediately, or at the end of a streamed body. */
  private countReply(request: HttpRequest, response: Response, startMs: number): Response {
    const { payload } = response;
    if (payload instanceof BodyStream) {
      const { status } = response;
      response.payload = meteredBody(payload, (bytes) => this.count(request, status, startMs, bytes));
    } else {
      const bytes = request.method === "HEAD" ? 0 : (payloadLength(payload) ?? 0);
      this.count(request, response.status, startMs, bytes);
    }
    return response;
  }

  private count(request: HttpRequest, status: number, startMs: number, bytes: number): void {
    const { now, durationBuckets, sizeBuckets, dirty } = this.options;
    const cell = this.cellOf(request, status);
    const replies = widthOf(durationBuckets);
    observe(cell.gains, 0, durationBuckets, Math.max(0, now() - startMs) / 1000);
    observe(cell.gains, replies, sizeBuckets, bytes);
    const requestBytes = request.contentLength;
    if (requestBytes !== null) observe(cell.gains, replies + widthOf(sizeBuckets), sizeBuckets, requestBytes);
    dirty.mark(cell);
  }

  private cellOf({ endpoint, method }: HttpRequest, status: number): Cell {
    const ofEndpoint = this.cells.get(endpoint);
    const number = status * 16 + (methodNumbers.get(method) ?? 0);
    return ofEndpoint?.get(number) ?? this.newCell(endpoint, number);
  }

  private newCell(endpoint: Endpoint | null, number: number): Cell {
    const method = methods[number % 16] ?? "OTHER";
    const status = String(Math.floor(number / 16));
    if (this.series >= this.options.maxSeries) {
      const known = this.overflow.get(number);
      if (known !== undefined) return known;
      const added = this.createCell([method, "overflow", status]);
      this.overflow.set(number, added);
      return added;
    }
    this.series++;
    const path = endpoint === null ? "unmatched" : labelValue(endpoint.pattern);
    const cell = this.createCell([method, path, status]);
    const ofEndpoint = this.cells.get(endpoint) ?? new Map<number, Cell>();
    this.cells.set(endpoint, ofEndpoint.set(number, cell));
    return cell;
  }

  private createCell([method, path, status]: readonly [string, string, string]): Cell {
    const { durationBuckets, sizeBuckets } = this.options;
    const width = widthOf(durationBuckets) + 2 * widthOf(sizeBuckets);
    return new Cell(seriesOf(REQUESTS, ["method", method, "path", path, "status", status]), width);
  }
}
