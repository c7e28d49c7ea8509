// @ts-check
// Imported first by every command, so that an old Node ends with one clear line. Its syntax is old enough for the Node
// versions that it refuses.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const recent = major === 20 ? minor >= 19 : major === 22 ? minor >= 12 : major > 22;
if (!recent) {
  console.error(`Colloquy needs Node 20.19 or newer (of 22: 22.12 or newer); this is Node ${process.versions.node}.`);
  process.exit(1);
}
