import { useState, type DragEvent } from 'react';

import { lieAt, useMoves, type Movable, type MovableFolder } from './folders-query.ts';
import { sameSpot, type Spot } from './place.ts';

type Carried = { kind: 'meetings'; meetings: Movable[] } | { kind: 'folder'; folder: MovableFolder };

/** The type of our own drags; a dragged file is a recording to add. */
const type = 'application/x-colloquy-library';

/** Props that make a row or card draggable. */
export const draggable = (what: () => Carried) => ({
  draggable: true,
  onDragStart: ({ dataTransfer }: DragEvent) => {
    dataTransfer.setData(type, JSON.stringify(what()));
    dataTransfer.effectAllowed = 'move';
  },
});

/** Props of a drop target, for folders that can be added to. The menu does the same without dragging. */
export function useDrop(to: Spot, may = true) {
  const { moveMeetings, moveFolder } = useMoves();
  const [over, setOver] = useState(false);
  const ours = (event: DragEvent) => may && event.dataTransfer.types.includes(type);
  const enter = (event: DragEvent) => {
    if (!ours(event)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = 'move';
    setOver(true);
  };
  return {
    'data-over': over || undefined,
    onDragEnter: enter,
    onDragOver: enter,
    onDragLeave: (event: DragEvent<HTMLElement>) => {
      if (!(event.relatedTarget instanceof Node && event.currentTarget.contains(event.relatedTarget))) setOver(false);
    },
    onDrop: (event: DragEvent) => {
      if (!ours(event)) return;
      event.preventDefault();
      setOver(false);
      const carried = JSON.parse(event.dataTransfer.getData(type)) as Carried;
      if (carried.kind === 'meetings') {
        const away = carried.meetings.filter((one) => one.folder === null || !sameSpot(lieAt(one), to));
        if (away.length > 0) void moveMeetings(away, to).catch(() => {});
      } else if (!sameSpot(carried.folder.spot, to)) void moveFolder(carried.folder, to);
    },
  };
}
