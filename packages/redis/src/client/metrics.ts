/** Metrics of the clients of one configuration: totals since it was opened, and current numbers of connections and waiting commands. */
export interface RedisMetrics {
  /** Requested commands. */
  commands: number;
  /** Commands that Redis rejected, or that got no reply. */
  failures: number;
  /** Connections reopened after a loss. */
  reconnects: number;
  /** Open connections. */
  connections: number;
  /** Commands that wait for a connection. */
  waiting: number;
}

export const newMetrics = (): RedisMetrics => ({
  commands: 0,
  failures: 0,
  reconnects: 0,
  connections: 0,
  waiting: 0,
});
