import { Tabs as KitTabs } from '@mantine/core';
import type { ReactNode } from 'react';

interface Tab {
  id: string;
  label: string;
  icon?: ReactNode;
  content: ReactNode;
}

interface TabsProps {
  /** Accessible name of the tabs. */
  label: string;
  tabs: readonly Tab[];
  value: string;
  onChange: (id: string) => void;
}

export function Tabs({ label, tabs, value, onChange }: TabsProps) {
  return (
    <KitTabs value={value} onChange={(id) => id !== null && onChange(id)} keepMounted={false}>
      <KitTabs.List aria-label={label}>
        {tabs.map((tab) => (
          <KitTabs.Tab key={tab.id} value={tab.id} leftSection={tab.icon}>
            {tab.label}
          </KitTabs.Tab>
        ))}
      </KitTabs.List>
      {tabs.map((tab) => (
        <KitTabs.Panel key={tab.id} value={tab.id} pt="md">
          {tab.content}
        </KitTabs.Panel>
      ))}
    </KitTabs>
  );
}
