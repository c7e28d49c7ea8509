// @ts-check
// Imported first by every command, so that an old Node ends in one clear line and not in a riddle later. It is plain
// enough to be read by the Node versions that it turns away.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const recent = major === 20 ? minor >= 19 : major === 22 ? minor >= 12 : major > 22;
if (!recent) {
  console.error(`Colloquy needs Node 20.19 or newer (of 22: 22.12 or newer); this is Node ${process.versions.node}.`);
  process.exit(1);
}
