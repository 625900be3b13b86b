import type { QueueAttributeName } from "@aws-sdk/client-sqs";
import type { Logger } from "@framework/core";
import type { Topology } from "@framework/messaging/adapter";
import type { SqsApi } from "../client/sqs-api.ts";
import { isForbidden, reasonOf } from "../client/sqs-error.ts";
import type { SqsConfig } from "../sqs-config.ts";
import type { KnownQueues, Queue } from "./known-queues.ts";
import { type WantedQueue, wantedQueues } from "./wanted-queues.ts";

/** Dependencies of `SqsTopology`. */
export interface SqsTopologyParts {
  readonly api: SqsApi;
  readonly queues: KnownQueues;
  readonly config: SqsConfig;
  readonly log: Logger;
}

/** Maximum retention of SQS: 14 days. */
const RETENTION_SECS = 1_209_600;

/** Verifies, creates and recreates queues. */
export class SqsTopology {
  private readonly parts: SqsTopologyParts;
  /** Queues that this process has declared in mode `create`, for `recreate`. */
  private created: readonly WantedQueue[] = [];

  constructor(parts: SqsTopologyParts) {
    this.parts = parts;
  }

  /** Verifies or creates queues. Returns the problems, for operators. Rejects if SQS cannot be queried. */
  async apply(spec: Topology, mode: "verify" | "create"): Promise<readonly string[]> {
    const { queues } = this.parts;
    const wanted = wantedQueues(spec, (topic) => queues.configured(topic) !== null);
    const problems = await this.configuredQueueProblems(spec);
    for (const queue of wanted)
      problems.push(
        ...(await this.withPermissionProblem(queue, () => this.checkQueue(queue, mode === "create"))),
      );
    for (const topic of topicsOf(spec)) queues.forget(topic);
    if (mode === "create" && problems.length === 0) this.created = unique([...this.created, ...wanted]);
    return problems;
  }

  /** Recreates missing queues that `apply` has declared in mode `create` without problems. Does nothing after mode `verify`. */
  async recreate(): Promise<void> {
    for (const queue of this.created) await this.checkQueue(queue, true);
  }

  private async checkQueue(wanted: WantedQueue, mayCreate: boolean): Promise<readonly string[]> {
    const { queues } = this.parts;
    const { name, other } = wanted;
    if (other !== null && (await queues.byName(other)) !== null)
      return [
        `the group already has the queue ${other} of a subscription with another \`order\`, and would receive every message twice; drain and delete ${other}, or do not use ${name}`,
      ];
    const found = await queues.byName(name);
    if (found !== null) return await this.differences(found, wanted);
    if (!mayCreate)
      return [
        `there is no queue ${name}; create it with "npx @framework/cli topology", or set topology: "create"`,
      ];
    await this.create(wanted);
    return [];
  }

  private async create({ name, isFifo, deadLetters }: WantedQueue): Promise<void> {
    const { api, queues, config } = this.parts;
    const target = deadLetters === null ? null : await queues.byName(deadLetters);
    const arn = target === null ? null : (await api.attributes(target.url, "QueueArn"))["QueueArn"];
    const attributes: Partial<Record<QueueAttributeName, string>> = {
      MessageRetentionPeriod: String(RETENTION_SECS),
      MaximumMessageSize: String(config.messageSizeBytes),
      VisibilityTimeout: String(config.visibilityTimeoutSecs),
      ReceiveMessageWaitTimeSeconds: String(config.waitTimeSecs),
      ...(isFifo && {
        FifoQueue: "true",
        DeduplicationScope: "messageGroup",
        FifoThroughputLimit: "perMessageGroupId",
      }),
      ...(arn !== null && {
        RedrivePolicy: JSON.stringify({ deadLetterTargetArn: arn, maxReceiveCount: config.maxReceiveCount }),
      }),
    };
    await api.create(name, attributes);
  }

  /** Returns the problems of an existing queue. */
  private async differences(
    { name, url }: Queue,
    { deadLetters }: Pick<WantedQueue, "deadLetters">,
  ): Promise<readonly string[]> {
    const { api, config } = this.parts;
    const found = await api.attributes(url, "RedrivePolicy", "MaximumMessageSize");
    const size = Number(found["MaximumMessageSize"] ?? config.messageSizeBytes);
    const problems =
      size < config.messageSizeBytes
        ? [
            `the queue ${name} accepts ${size} bytes, but SqsConfig.messageSizeBytes is ${config.messageSizeBytes}; raise its MaximumMessageSize, or lower the option`,
          ]
        : [];
    if (deadLetters === null) return problems;
    const count = maxReceiveCountOf(found["RedrivePolicy"]);
    if (count === null)
      problems.push(
        `the queue ${name} has no redrive policy, so a message that kills its process would be redelivered endlessly; set one to ${deadLetters} with maxReceiveCount ${config.maxReceiveCount}`,
      );
    else if (count !== config.maxReceiveCount)
      problems.push(
        `the redrive policy of the queue ${name} has maxReceiveCount ${count}, but SqsConfig.maxReceiveCount is ${config.maxReceiveCount}; make them equal`,
      );
    return problems;
  }

  /** Returns the problems of the queue of `queueUrl`, which is never changed. */
  private async configuredQueueProblems({ subscriptions }: Topology): Promise<string[]> {
    const { queues, config } = this.parts;
    const users = subscriptions.filter(({ topics }) =>
      topics.some((topic) => queues.configured(topic) !== null),
    );
    const [first] = users.flatMap(({ topics }) => topics.flatMap((topic) => queues.configured(topic) ?? []));
    if (first === undefined) return [];
    const problems: string[] = [];
    if (new Set(users.map(({ group }) => group)).size > 1)
      problems.push(
        `the queue ${first.name} of SqsConfig.queueUrl supports one group, not ${users.map(({ group }) => group).join(", ")}`,
      );
    if (!first.isFifo && users.some(({ order }) => order === "key"))
      problems.push(
        `the queue ${first.name} of SqsConfig.queueUrl is not a FIFO queue and does not support order: "key"`,
      );
    const wanted = { name: first.name, isFifo: first.isFifo, deadLetters: null, other: null };
    const check = async (): Promise<readonly string[]> => await this.differences(first, wanted);
    problems.push(...(await this.withPermissionProblem(wanted, check)));
    await this.warnOfRedrive(first, config.maxReceiveCount);
    return problems;
  }

  private async warnOfRedrive({ url, name }: Queue, maxReceiveCount: number): Promise<void> {
    const { api, log } = this.parts;
    const found = await api.attributes(url, "RedrivePolicy").catch(() => null); // the check above has reported the error
    if (found !== null && maxReceiveCountOf(found["RedrivePolicy"]) === null)
      log.warn(
        "sqs: the queue of queueUrl has no redrive policy; a message that kills its process is redelivered until it expires",
        { queue: name, maxReceiveCount },
      );
  }

  private async withPermissionProblem(
    { name }: WantedQueue,
    check: () => Promise<readonly string[]>,
  ): Promise<readonly string[]> {
    try {
      return await check();
    } catch (error) {
      if (isForbidden(error))
        return [
          `the credentials may not read or create the queue ${name}; grant the permission: ${reasonOf(error)}`,
        ];
      throw error;
    }
  }
}

const topicsOf = ({ topics, subscriptions }: Topology): ReadonlySet<string> =>
  new Set([
    ...topics,
    ...subscriptions.flatMap((each) => [...each.topics, each.deadLetterTopic ?? []].flat()),
  ]);

const unique = (wanted: readonly WantedQueue[]): readonly WantedQueue[] => [
  ...new Map(wanted.map((each) => [each.name, each])).values(),
];

const maxReceiveCountOf = (policy: string | undefined): number | null => {
  if (policy === undefined) return null;
  try {
    const { deadLetterTargetArn, maxReceiveCount } = JSON.parse(policy) as Partial<Record<string, unknown>>;
    return typeof deadLetterTargetArn === "string" ? Number(maxReceiveCount) : null;
  } catch {
    return null;
  }
};
