import { printable } from "../../log/printable.ts";
import type { ListenerAddress } from "../../lifecycle/listener.ts";
import type { AppReport } from "../../lifecycle/runnable.ts";
import type { RunSettings, SettingName } from "../settings/settings.ts";

/** The facts that a banner is made of; all of them are already true. */
export interface BannerFacts {
  readonly url: string;
  /** Ports of features. */
  readonly listeners: readonly ListenerAddress[];
  readonly settings: RunSettings;
  readonly report: AppReport;
  /** Version of the framework. */
  readonly version: string;
  readonly nodeVersion: string;
  readonly pid: number;
  readonly readyMs: number;
}

/** What a program that started this one wants to know. */
export interface ListeningFacts {
  readonly url: string;
  readonly workers: number;
  readonly pid: number;
  /** Ports of features; left out of the line when there are none. */
  readonly listeners: readonly ListenerAddress[];
}

/** The one JSON line that a program which started this one waits for. */
export const listeningLine = ({ listeners, ...facts }: ListeningFacts): string =>
  `${JSON.stringify({ event: "listening", ...facts, ...(listeners.length > 0 && { listeners }) })}\n`;

/** The lines that a person at a terminal reads: address, what is on, where each setting came from, warnings with codes. */
export const terminalBanner = (facts: BannerFacts): string => {
  const { settings, report, url } = facts;
  const routes = counted(report.routes, "route");
  const rows = [
    `framework ${facts.version}  ready in ${Math.round(facts.readyMs)} ms`,
    `  app       ${url}  ${routes}`,
    ...report.links.map(({ name, path }) => `  ${name.padEnd(9)} ${new URL(path, url).href}`),
    ...facts.listeners.map(({ name, host, port }) => `  ${name.padEnd(8)}  ${host} port ${port}`),
    `  running   node ${facts.nodeVersion.replace(/^v/, "")}, ${counted(settings.workers, "worker")}, ${settings.env}, pid ${facts.pid}`,
    ...(report.features.length === 0 ? [] : [`  on        ${report.features.join(", ")}`]),
    `  settings  ${settingsList(settings)}`,
    ...[...settings.warnings, ...report.warnings].map(({ code, message }) => `  ! ${code}: ${message}`),
  ];
  return `\n${rows.map(printable).join("\n")}\n\n`;
};

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

const shown: readonly SettingName[] = ["host", "port", "env", "debug", "workers", "reload", "logs"];

const settingsList = (settings: RunSettings): string =>
  shown.map((name) => `${name} ${String(settings[name])} (${settings.sources[name]})`).join(", ");
