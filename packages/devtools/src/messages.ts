import type { PanelContent, PanelTable } from "@framework/core/feature";
import type { FaultRule } from "./faults/fault-rule.ts";
import type { RequestEntry } from "./requests/request-entry.ts";
import type { HistogramReport } from "./traffic/histogram-recorder.ts";
import type { TrafficReport } from "./traffic/traffic-meter.ts";

/** A panel, as sent to the page. */
export interface PanelReport {
  readonly name: string;
  readonly title: string;
  readonly scope: "worker" | "service";
  readonly content: PanelContent;
  readonly actions: readonly ActionReport[];
  readonly hasDetails: boolean;
}

/** An action, as sent to the page. */
export interface ActionReport {
  readonly name: string;
  readonly label: string;
  readonly on: "row" | "panel";
  readonly fields: readonly FieldReport[];
}

/** A field of an action, as sent to the page. */
export interface FieldReport {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  /** Allowed values; empty for any text. */
  readonly options: readonly string[];
}

/** A metric's current value. */
export interface MetricReport {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge";
  readonly across: "sum" | "max";
  /** Samples by their labels: `state="open"`. */
  readonly samples: readonly (readonly [labels: string, value: number])[];
}

/** A call from a page to a worker. */
export type Call =
  | { readonly do: "details"; readonly panel: string; readonly row: string }
  | {
      readonly do: "act";
      readonly panel: string;
      readonly action: string;
      readonly row: string | null;
      readonly texts: Readonly<Record<string, string>>;
    };

/** The result of a call. */
export type Outcome =
  | { readonly ok: true; readonly message: string | null }
  | { readonly ok: true; readonly tables: readonly (PanelTable & { readonly title: string })[] }
  | { readonly ok: false; readonly code: string; readonly message: string };

/** Messages between workers, and from workers to pages. */
export type Message =
  /** A page is open: record and report for 6 seconds. */
  | { readonly type: "watch" }
  | { readonly type: "request"; readonly entry: RequestEntry }
  | { readonly type: "panel"; readonly worker: string; readonly panel: PanelReport }
  | {
      readonly type: "metrics";
      readonly worker: string;
      readonly at: number;
      readonly metrics: readonly MetricReport[];
    }
  | { readonly type: "traffic"; readonly worker: string; readonly traffic: TrafficReport }
  | {
      readonly type: "histograms";
      readonly worker: string;
      readonly histograms: readonly HistogramReport[];
    }
  | { readonly type: "faults"; readonly rules: readonly FaultRule[] }
  | { readonly type: "call"; readonly id: string; readonly worker: string; readonly call: Call }
  | { readonly type: "answer"; readonly id: string; readonly outcome: Outcome };
