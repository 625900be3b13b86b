import type { Topology } from "@framework/messaging/adapter";
import type { Link } from "../connection/link.ts";
import {
  PRECONDITION_FAILED,
  ACCESS_REFUSED,
  NOT_FOUND,
  reasonOf,
  replyCode,
} from "../connection/server-error.ts";
import { withChannel } from "../connection/with-channel.ts";
import {
  type Declaration,
  deadLetterDeclarations,
  groupDeclarations,
  topicDeclaration,
} from "./declarations.ts";

/** Verifies, creates and redeclares exchanges and queues. */
export class RabbitMQTopology {
  private readonly link: Link;
  private readonly deliveryLimit: number;
  /** Declarations of this process in mode `create`, for `redeclare`. */
  private created: readonly Declaration[] = [];

  constructor(link: Link, deliveryLimit: number) {
    this.link = link;
    this.deliveryLimit = deliveryLimit;
  }

  /** Verifies or creates exchanges and queues. Returns the problems, for operators. Rejects if the server cannot be queried. */
  async apply(spec: Topology, mode: "verify" | "create"): Promise<readonly string[]> {
    const declarations = declarationsOf(spec, this.deliveryLimit).filter(
      ({ label }) => !/ amq\./.test(label),
    );
    const problems = spec.subscriptions
      .filter(({ maxTries }) => maxTries >= this.deliveryLimit)
      .map(
        ({ topics, group, maxTries }) =>
          `RabbitMQConfig.deliveryLimit must be greater than the ${maxTries} tries of the subscription "${topics.join(" ")} ${group}", not ${this.deliveryLimit}`,
      )
      .concat(reservedNameProblems(spec));
    for (const declaration of declarations)
      problems.push(...(await (mode === "create" ? this.create(declaration) : this.verify(declaration))));
    if (mode === "create" && problems.length === 0) this.created = unique([...this.created, ...declarations]);
    return problems;
  }

  /**
   * Redeclares the exchanges and queues that `apply` has declared in mode `create` without problems, because the server may have lost them. Does nothing after
   * mode `verify`.
   */
  async redeclare(): Promise<void> {
    const { created } = this;
    if (created.length === 0) return;
    await withChannel(this.link, async (channel) => {
      for (const declaration of created) await declaration.create(channel);
    });
  }

  private async create({ label, create }: Declaration): Promise<readonly string[]> {
    return await problemsOf(label, () => withChannel(this.link, create));
  }

  private async verify({ label, exists, create }: Declaration): Promise<readonly string[]> {
    const missing = await problemsOf(label, () => withChannel(this.link, exists));
    if (missing.length > 0) return missing;
    try {
      await withChannel(this.link, create); // compares the properties of an existing object: AMQP has no other way; also adds a missing binding
    } catch (error) {
      if (replyCode(error) === ACCESS_REFUSED) return []; // comparing needs the permission to configure
      if (replyCode(error) !== PRECONDITION_FAILED) throw error;
      return [differenceText(label, error)];
    }
    return [];
  }
}

/** Returns problems of topics with names that the server reserves. */
const reservedNameProblems = ({ topics, subscriptions }: Topology): readonly string[] => {
  const all = [...topics, ...subscriptions.flatMap((each) => [...each.topics, each.deadLetterTopic ?? ""])];
  return Array.from(new Set(all))
    .filter((topic) => topic.startsWith("amq."))
    .map((topic) => `RabbitMQ reserves names that begin with "amq."; rename the topic ${topic}`);
};

const problemsOf = async (label: string, request: () => Promise<unknown>): Promise<readonly string[]> => {
  try {
    await request();
    return [];
  } catch (error) {
    const code = replyCode(error);
    if (code === NOT_FOUND)
      return [
        `there is no ${label}; create it with "npx @framework/cli topology", or set topology: "create"`,
      ];
    if (code === PRECONDITION_FAILED) return [differenceText(label, error)];
    if (code === ACCESS_REFUSED)
      return [`the user may not create or read the ${label}; grant the permission: ${reasonOf(error)}`];
    throw error;
  }
};

const differenceText = (label: string, error: unknown): string =>
  `the ${label} has other properties than this program needs; drain and delete it, or use another name (${reasonOf(error)})`;

const declarationsOf = ({ topics, subscriptions }: Topology, deliveryLimit: number): readonly Declaration[] =>
  unique([
    ...topics.map(topicDeclaration),
    ...subscriptions.flatMap(({ topics: names, group, order, deadLetterTopic }) => [
      ...(deadLetterTopic === null ? [] : deadLetterDeclarations(deadLetterTopic)),
      ...names.flatMap((topic) => groupDeclarations(topic, group, { order, deliveryLimit })),
    ]),
  ]);

const unique = (declarations: readonly Declaration[]): readonly Declaration[] => [
  ...new Map(declarations.map((each) => [each.label, each])).values(),
];
