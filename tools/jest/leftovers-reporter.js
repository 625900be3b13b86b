/** Fails a run whose tests left a socket, timer or process open, and lists these, instead of hanging. */
export default class {
  constructor(_config, { graceMs = 30_000 } = {}) {
    this.graceMs = graceMs;
  }

  onRunComplete() {
    const end = () => {
      console.error(`The tests left open: ${process.getActiveResourcesInfo().join(", ")}`);
      process.exit(1);
    };
    setTimeout(end, this.graceMs).unref(); // fires only if something else keeps the process alive
  }
}
