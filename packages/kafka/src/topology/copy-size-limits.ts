import type { Topology } from "@framework/messaging/adapter";
import type { AdminClient } from "../client/admin-client.ts";

/** Topic setting of the maximum batch size. */
export const MAX_BYTES = "max.message.bytes";

/** Additional bytes of a copied message: the headers of dead letters and retries. */
const COPY_OVERHEAD_BYTES = 65_536;
const MAX_INT = 2_147_483_647;

/** Resource type of a topic in kafkajs. */
const TOPIC_RESOURCE = 2;

/** Returns the source topics of each retry and dead-letter topic. */
export const sourcesOfCopies = ({ subscriptions }: Topology): ReadonlyMap<string, readonly string[]> => {
  const sources = new Map<string, string[]>();
  for (const { topics, deadLetterTopic, retryTopics } of subscriptions) {
    const copies = retryTopics.map(({ topic }) => topic);
    if (deadLetterTopic !== null) copies.push(deadLetterTopic);
    for (const copy of copies) sources.set(copy, [...(sources.get(copy) ?? []), ...topics]);
  }
  return sources;
};

/** Returns the size limit of a topic with copies of messages from other topics, at least the server's default; `null` if the limit of no source topic can be read. */
export const copyLimit = async (
  admin: Pick<AdminClient, "use">,
  sources: readonly string[],
): Promise<number | null> => {
  const found = await Promise.all(sources.map((topic) => limitOf(admin, topic)));
  const max = Math.max(...found.map((limit) => limit ?? 0));
  return max > 0 ? Math.min(max, MAX_INT) : null;
};

/**
 * Returns the size limit for copies from one topic: its own limit plus the overhead, or the server's default if that is larger. `null` if unknown: reading limits
 * needs a permission that creating topics does not.
 */
const limitOf = (admin: Pick<AdminClient, "use">, topic: string): Promise<number | null> =>
  admin.use(async (open) => {
    const resources = [{ type: TOPIC_RESOURCE, name: topic, configNames: [MAX_BYTES] }];
    const described = await open.describeConfigs({ resources, includeSynonyms: true }).catch(() => null);
    const entry = described?.resources[0]?.configEntries.find(({ configName }) => configName === MAX_BYTES);
    const own = Number(entry?.configValue);
    if (!(own > 0)) return null;
    const defaults = (entry?.configSynonyms ?? []).map(({ configValue }) => Number(configValue) || 0);
    return Math.max(own + COPY_OVERHEAD_BYTES, ...defaults);
  });
