import type { BrokerAdapter } from "../port/broker-adapter.ts";
import type { Capabilities } from "../port/capabilities.ts";

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** Returns the cells of a README's capability table, by row: native to the broker, emulated by messaging, or refused. */
export const capabilityRows = ({
  capabilities,
}: Pick<BrokerAdapter, "capabilities">): Readonly<Record<string, string>> => ({
  '`order: "key"`': orRefused(capabilities.orders.includes("key")),
  '`order: "partition"`': orRefused(capabilities.orders.includes("partition")),
  "delayed messages": delay(capabilities.maxDelayMs),
  "delayed tries": capabilities.retryTopics ? "retry topics" : delay(capabilities.maxRetryDelayMs),
  "delayed tries in order": capabilities.retryKeepsOrder ? "native" : "held",
  "topics by a pattern": orRefused(capabilities.patterns),
  "requests with replies": orRefused(capabilities.privateTopics),
  '`from: "latest"`': orRefused(capabilities.replay),
  "several workers": orRefused(!capabilities.isInProcess),
  acknowledges: capabilities.settlement === "each" ? "each message" : "up to an offset",
  "attributes of events": attributes(capabilities.envelope),
});

const orRefused = (can: boolean): string => (can ? "native" : "refused");

/** Describes the longest delay at the broker; the process holds messages with a longer one. */
const delay = (ms: number): string => {
  if (ms === 0) return "held";
  return ms >= DAY_MS ? `native, ${ms / DAY_MS} days` : `native, ${ms / MINUTE_MS} min; longer held`;
};

const attributes = (envelope: Capabilities["envelope"]): string =>
  envelope.mode === "binary" ? `headers, \`${envelope.prefix}\`` : "JSON of the body";

/** Returns the column of an adapter in the capability table of a README. */
export const capabilityColumn = (readme: string, name: string): Readonly<Record<string, string>> => {
  const table = readme.split("## Capabilities of each broker\n")[1]?.split("\n## ")[0] ?? "";
  const rows = table
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) => line.split("|").map((cell) => cell.trim()));
  const column = rows[0]?.indexOf(name) ?? -1;
  return Object.fromEntries(rows.slice(2).map((cells) => [cells[1] ?? "", cells[column] ?? ""]));
};
