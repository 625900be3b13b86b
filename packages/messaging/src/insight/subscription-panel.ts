import { NotFoundError } from "@framework/core";
import type { Panel } from "@framework/core/feature";
import type { RunningSubscription } from "../consume/running-subscription.ts";

/** A broker of the panel. */
export interface PanelBroker {
  readonly name: string;
  readonly subscriptions: readonly RunningSubscription[];
}

const countLabels: Readonly<Record<keyof RunningSubscription["counts"], string>> = {
  received: "delivered by the broker",
  redelivered: "delivered again",
  done: "done",
  retries: "failed tries that are retried",
  deadLettered: "dead letters",
  duplicates: "already recorded as done by the inbox",
  lost: "given to another consumer",
  abandoned: "handlers that ignored their signal",
};

/** Creates the dev page panel of a process's subscriptions. Parked dead letters are in the panel of parked work. */
export const subscriptionPanel = (brokers: () => readonly PanelBroker[]): Panel => {
  const all = (): readonly (readonly [id: string, broker: string, RunningSubscription])[] =>
    brokers().flatMap(({ name, subscriptions }) =>
      subscriptions.map((each) => [`${name} ${each.label}`.slice(0, 400), name, each] as const),
    );
  const find = (row: string | null): RunningSubscription => {
    const found = all().find(([id]) => id === row);
    if (found === undefined) throw new NotFoundError("There is no such subscription in this process");
    return found[2];
  };
  return {
    name: "subscriptions",
    title: "Subscriptions",
    scope: "worker",
    read: () => ({
      note:
        all().length === 0
          ? "There are no subscriptions"
          : "Dead letters on the database are in the panel Parked work, which replays and discards them",
      columns: [
        "Subscription",
        "Broker",
        "State",
        "Lag",
        "Running",
        "Done",
        "Retries",
        "Dead letters",
        "Why",
      ],
      rows: all().map(([id, broker, subscription]) => {
        const { label, counts, lag, inFlight, isPaused } = subscription;
        return {
          id,
          cells: [
            label,
            broker,
            stateOf(subscription),
            lag,
            inFlight,
            counts.done,
            counts.retries,
            counts.deadLettered,
            reasonOf(subscription),
          ],
          actions: isPaused ? ["resume"] : ["pause"],
        };
      }),
    }),
    async details(row) {
      const subscription = find(row);
      await subscription.readLag();
      const { counts, lag } = subscription;
      const counters = [
        ["waiting at the broker", lag],
        ...Object.entries(countLabels).map(
          ([name, text]) => [text, counts[name as keyof typeof countLabels]] as const,
        ),
      ] as const;
      return [
        {
          title: "Messages",
          columns: ["Counter", "Value"],
          rows: counters.map(([text, value]) => ({ id: text, cells: [text, value] })),
        },
      ];
    },
    actions: [
      {
        name: "pause",
        label: "Pause",
        on: "row",
        run(row) {
          find(row).pause();
          return "This process handles no further messages of the subscription; running handlers finish";
        },
      },
      {
        name: "resume",
        label: "Resume",
        on: "row",
        run(row) {
          find(row).resume();
          return "The subscription is resumed";
        },
      },
    ],
  };
};

const stateOf = ({ isPaused, state }: RunningSubscription): string => (isPaused ? "paused" : state);

const reasonOf = (subscription: RunningSubscription): string | null => {
  const { isPaused, isLimited, stalledMs, state, reason, ongoingFailure } = subscription;
  if (isPaused) return "paused on the dev page";
  if (state !== "running") return reason;
  if (stalledMs > 0) return `stalled for ${Math.round(stalledMs / 1000)} s`;
  if (ongoingFailure !== null) return ongoingFailure;
  return isLimited ? "messages wait because of the rate" : null;
};
