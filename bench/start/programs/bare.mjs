// The least that a program can do: Node's own start.
console.log("ready");
