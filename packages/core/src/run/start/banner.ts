import { printable } from "../../http/printable.ts";
import type { ListenerAddress } from "../../lifecycle/listener.ts";
import type { AppReport } from "../../lifecycle/runnable.ts";
import type { RunSettings, SettingName } from "../settings/settings.ts";

/** Content of the banner of a service that listens. */
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

/** Content of the JSON line for the program that started this service. */
export interface ListeningFacts {
  readonly url: string;
  readonly workers: number;
  readonly pid: number;
  /** Ports of features; the line omits an empty list. */
  readonly listeners: readonly ListenerAddress[];
}

/** The JSON line that announces the service to the program that started it. */
export const listeningLine = ({ listeners, ...facts }: ListeningFacts): string =>
  `${JSON.stringify({ event: "listening", ...facts, ...(listeners.length > 0 && { listeners }) })}\n`;

/** The banner for a terminal: address, enabled features, source of each setting, warnings with codes. */
export const terminalBanner = (facts: BannerFacts): string => {
  const { settings, report, url } = facts;
  const routes = withUnit(report.routes, "route");
  const rows = [
    `framework ${facts.version}  ready in ${Math.round(facts.readyMs)} ms`,
    `  app       ${url}  ${routes}`,
    ...report.links.map(({ name, path }) => `  ${name.padEnd(9)} ${linkOf(path, url)}`),
    ...facts.listeners.map(({ name, host, port }) => `  ${name.padEnd(8)}  ${host} port ${port}`),
    `  running   node ${facts.nodeVersion.replace(/^v/, "")}, ${withUnit(settings.workers, "worker")}, ${settings.env}, pid ${facts.pid}`,
    ...(report.features.length === 0 ? [] : [`  on        ${report.features.join(", ")}`]),
    `  settings  ${settingsList(settings)}`,
    ...settings.notes.map((note) => `  note      ${note}`),
    ...[...settings.warnings, ...report.warnings].map(({ code, message }) => `  ! ${code}: ${message}`),
  ];
  return `\n${rows.map(printable).join("\n")}\n\n`;
};

/** The address of a page. A URL cannot contain the zone of an IPv6 address, so the class `URL` rejects a service's address with one. */
const linkOf = (path: string, url: string): string => URL.parse(path, url)?.href ?? url + path;

const withUnit = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

const shownSettings: readonly SettingName[] = [
  "host",
  "port",
  "env",
  "debug",
  "workers",
  "reload",
  "logs",
  "transport",
];

const settingsList = (settings: RunSettings): string =>
  shownSettings.map((name) => `${name} ${String(settings[name])} (${settings.sources[name]})`).join(", ");
