import { IconMicrophone, IconPlus, IconTrash } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';

import { Failure } from '../errors/failure.tsx';
import { UnsentWords } from '../meetings/live/unsent-words.tsx';
import { SaveChip } from '../meetings/live/save-chip.tsx';
import { useConfirm, useNotify } from '../store.ts';
import { useTexts } from '../texts.ts';
import { Avatar } from '../ui/avatar.tsx';
import styles from './blocks.module.css';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Chip } from '../ui/chip.tsx';
import { Choices } from '../ui/choices.tsx';
import { CopyButton } from '../ui/copy.tsx';
import { RelativeDate } from '../ui/dates.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Empty } from '../ui/empty.tsx';
import { CheckField, EmailField, PasswordField, SelectField, SwitchField, TextArea, TextField } from '../ui/field.tsx';
import { Actions, Form } from '../ui/form.tsx';
import { Hint } from '../ui/hint.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { Mark } from '../ui/mark.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import { Pagination } from '../ui/pagination.tsx';
import { SwipeDrawer } from '../ui/swipe-drawer.tsx';
import { Table, type Column } from '../ui/table.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { PageBones } from '../ui/waiting.tsx';

// Page for developers, not translated: each component once, with example texts.

const people = ['Ann Demo', 'Ben Demo', 'Chen Test', 'Dora Test', 'Eva Demo', 'Finn Test', 'Gil Demo'];

interface Recording {
  id: string;
  title: string;
  owner: string;
  minutes: number;
  at: Date;
}

const hour = 3_600_000;
const threeHoursAgo = new Date(Date.now() - 3 * hour);
const recordings: Recording[] = [
  { id: 'a', title: 'Interview 4', owner: 'Ann Demo', minutes: 64, at: new Date(Date.now() - 2 * hour) },
  { id: 'b', title: 'Coaching, second session', owner: 'Chen Test', minutes: 48, at: new Date(Date.now() - 50 * hour) },
  { id: 'c', title: 'Board, May', owner: 'Ben Demo', minutes: 121, at: new Date(Date.now() - 900 * hour) },
];

const columns: Column<Recording>[] = [
  { id: 'title', header: 'Title', cell: (row) => row.title, sort: (row) => row.title },
  { id: 'owner', header: 'Owner', cell: (row) => row.owner, sort: (row) => row.owner },
  { id: 'minutes', header: 'Minutes', cell: (row) => row.minutes, sort: (row) => row.minutes, numeric: true },
  { id: 'at', header: 'Heard', cell: (row) => <RelativeDate at={row.at} />, sort: (row) => row.at.getTime() },
];

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={styles.section}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

export default function Blocks() {
  return (
    <div className={styles.blocks}>
      <PageTitle lead="Everything the screens are made of, in one place.">Building blocks</PageTitle>
      <Marks />
      <Type />
      <Colours />
      <Buttons />
      <Fields />
      <Notices />
      <Dialogs />
      <Drawer />
      <Section title="Table">
        <Table
          caption="Recordings"
          columns={columns}
          rows={recordings}
          rowKey={(row) => row.id}
          rowLink={() => '/dev/blocks'}
          empty="No recordings found."
        />
        <Table
          caption="Archived"
          columns={columns}
          rows={[]}
          rowKey={(row) => row.id}
          empty="Nothing has been archived."
        />
      </Section>
      <Pages />
      <Places />
      <People />
      <Saving />
      <Section title="Empty, waiting, broken">
        <Empty
          title="Your recordings will stand here"
          icon={<IconMicrophone size={32} stroke={1.5} />}
          action={<Button look="primary">Add a recording</Button>}
        >
          A recording brings its transcript with it: words you can correct, comment and assess together.
        </Empty>
        <PageBones headed />
        <Failure error={new Error('example')} requestId="4Qm2ExampleId">
          This page stopped working. What was saved is safe; reloading usually helps.
        </Failure>
      </Section>
    </div>
  );
}

function Marks() {
  return (
    <Section title="Mark">
      <div className={styles.row}>
        {[16, 24, 32, 64, 128].map((size) => (
          <Mark key={size} size={size} />
        ))}
      </div>
    </Section>
  );
}

function Type() {
  return (
    <Section title="Type">
      <p>Interface, 14/20. Numbers stand under each other: 00:12:31, 1 204.50.</p>
      <p className={styles.small}>Tables and notes, 13/18, in muted ink.</p>
      <p className={styles.reading}>
        Transcript, 18/30. “So what would you like to work on today?” — “I keep putting off the{' '}
        <mark>conversation</mark> with my <span className={styles.doubted}>manager</span>.”
      </p>
      <p className={styles.reading} lang="ru">
        Расшифровка: «Над чем бы вы хотели поработать сегодня?»
      </p>
      <p className={styles.reading} lang="zh">
        文字稿：“今天您想谈些什么？”
      </p>
      <p>
        A link leads <a href="#blocks">somewhere</a>.
      </p>
    </Section>
  );
}

const tokens = [
  'ground',
  'raised',
  'line',
  'ink',
  'ink-muted',
  'accent',
  'danger',
  'voice-1',
  'voice-2',
  'voice-3',
  'voice-4',
  'voice-5',
];

function Colours() {
  return (
    <Section title="Colours">
      <ul className={styles.swatches}>
        {tokens.map((token) => (
          <li key={token}>
            <span className={styles.swatch} style={{ background: `var(--${token})` }} />
            {token}
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Buttons() {
  const [busy, setBusy] = useState(false);
  return (
    <Section title="Buttons">
      <div className={styles.row}>
        <Button look="primary">Recover password</Button>
        <Button>Plain</Button>
        <Button look="quiet">Quiet</Button>
        <Button look="danger" icon={<IconTrash size={18} stroke={1.5} aria-hidden="true" />}>
          Delete
        </Button>
        <Button disabled>Not now</Button>
        <Button look="primary" busy={busy} onClick={() => setBusy(true)}>
          {busy ? 'Working' : 'Press to make busy'}
        </Button>
        <ButtonLink to="/dev/blocks">A place to go</ButtonLink>
        <IconButton label="Add" icon={<IconPlus size={20} stroke={1.5} aria-hidden="true" />} />
        <CopyButton value="https://colloquy.example/" label="Copy the link" />
      </div>
    </Section>
  );
}

function Fields() {
  const [errors, setErrors] = useState<readonly string[]>([]);
  const [kind, setKind] = useState<string | null>('coach');
  return (
    <Section title="Form">
      <div className={styles.column}>
        <Form
          label="Example"
          errors={errors}
          onSubmit={() =>
            setErrors(['The password is too short.', 'You need to agree with our Terms of Service to continue'])
          }
        >
          <EmailField label="E-mail" required defaultValue="ann@example.org" />
          <PasswordField
            label="Password"
            required
            hint="At least eight characters."
            error={errors[0]}
            autoComplete="new-password"
          />
          <TextField label="First name" placeholder="Ann" />
          <TextField label="Given by your team" defaultValue="Cannot be changed" disabled />
          <SelectField
            label="Reason"
            placeholder="Choose one"
            defaultValue=""
            options={[
              { value: '1', label: 'I completed the task' },
              { value: '2', label: 'It is too slow' },
            ]}
          />
          <TextArea label="Comment" rows={3} />
          <CheckField label="Remember me" defaultChecked />
          <CheckField label="I agree with the Terms of Service" error={errors[1]} />
          <SwitchField
            label="Pause when an outcome is selected"
            hint="Playing goes on when it is filed."
            defaultChecked
          />
          <SwitchField label="Capitalize by itself" />
          <Choices
            label="What will you be using the product for?"
            value={kind}
            onChange={setKind}
            choices={[
              { value: 'individual', label: 'My own meetings', hint: 'Notes, decisions and who said what.' },
              { value: 'coach', label: 'Coaching', hint: 'Competencies and grades on what was said.' },
            ]}
          />
          <Actions>
            <Button look="quiet">Cancel</Button>
            <Button look="primary" type="submit">
              Save
            </Button>
          </Actions>
        </Form>
      </div>
    </Section>
  );
}

function Notices() {
  const notify = useNotify();
  return (
    <Section title="Notices">
      <div className={styles.row}>
        <Button onClick={() => notify({ message: 'Something went wrong...' })}>Error</Button>
        <Button onClick={() => notify({ type: 'info', message: 'Changes applied!' })}>Info</Button>
        <Button
          onClick={() =>
            notify({
              type: 'info',
              duration: 20_000,
              message: [
                'Merged. Chen also changed two sentences of ',
                { kind: 'docLink', id: 'example', text: 'Interview 4' },
                { kind: 'br' },
                { kind: 'clickable', text: 'Show me', onClick: () => undefined },
              ],
            })
          }
        >
          With parts
        </Button>
      </div>
    </Section>
  );
}

function Dialogs() {
  const [opened, setOpened] = useState(false);
  const [answer, setAnswer] = useState('');
  const confirm = useConfirm();
  const ask = async (word: boolean) => {
    const yes = await confirm({
      title: 'Delete the team “Blue Whales”?',
      text: 'Its members keep their recordings. This cannot be undone.',
      action: 'Delete',
      danger: true,
      ...(word && { word: 'yes' }),
    });
    setAnswer(yes ? 'You said yes.' : 'You said no.');
    return yes;
  };
  return (
    <Section title="Dialogs">
      <div className={styles.row}>
        <Button onClick={() => setOpened(true)}>Dialog</Button>
        <Button onClick={() => void ask(false)}>Confirm</Button>
        <Button onClick={() => void ask(true)}>Confirm with a word</Button>
        <span role="status">{answer}</span>
      </div>
      <Dialog opened={opened} onClose={() => setOpened(false)} title="Change e-mail">
        <Form onSubmit={() => setOpened(false)}>
          <EmailField label="New e-mail" data-autofocus />
          <Actions>
            <Button look="quiet" onClick={() => void ask(false).then((yes) => yes && setOpened(false))}>
              Ask first
            </Button>
            <Button look="quiet" onClick={() => setOpened(false)}>
              Cancel
            </Button>
            <Button look="primary" type="submit">
              Change
            </Button>
          </Actions>
        </Form>
      </Dialog>
    </Section>
  );
}

function Drawer() {
  const [opened, setOpened] = useState(false);
  return (
    <Section title="Drawer">
      <p>On a touch screen it also follows a finger from the edge.</p>
      <div className={styles.row}>
        <Button onClick={() => setOpened(true)}>Open the drawer</Button>
      </div>
      <SwipeDrawer label="Example" opened={opened} onOpen={() => setOpened(true)} onClose={() => setOpened(false)}>
        <Button wide onClick={() => setOpened(false)}>
          Put it away
        </Button>
      </SwipeDrawer>
    </Section>
  );
}

function Pages() {
  const [page, setPage] = useState(9);
  return (
    <Section title="Pages">
      <Pagination page={page} total={24} onChange={setPage} />
    </Section>
  );
}

function Places() {
  const [tab, setTab] = useState('transcript');
  return (
    <Section title="Tabs">
      <Tabs
        label="Views of the recording"
        value={tab}
        onChange={setTab}
        tabs={[
          { id: 'transcript', label: 'Transcript', content: <p>The words.</p> },
          { id: 'speakers', label: 'Tags & Speakers', content: <p>Who spoke.</p> },
          { id: 'analytics', label: 'Analytics', content: <p>How much.</p> },
        ]}
      />
    </Section>
  );
}

const chips = [
  { kind: 'saved', pending: 0, stored: 0, savedAt: null, keptHere: true },
  { kind: 'saved', pending: 0, stored: 0, savedAt: threeHoursAgo, keptHere: false },
  { kind: 'saving', pending: 2, stored: 2, savedAt: threeHoursAgo, keptHere: true },
  { kind: 'offline', pending: 0, stored: 0, savedAt: threeHoursAgo, keptHere: true },
  { kind: 'offline', pending: 14, stored: 14, savedAt: threeHoursAgo, keptHere: true },
  { kind: 'notKept', pending: 3, stored: 0, savedAt: threeHoursAgo, keptHere: false },
] as const;

function Saving() {
  const ready = useTexts('document');
  const [left, setLeft] = useState(true);
  const words = { why: 'generation', text: 'So what would you like to work on today?', generation: 1 } as const;
  if (!ready) return null;
  return (
    <Section title="What is saved">
      <div className={styles.row}>
        {chips.map((chip, place) => (
          <SaveChip key={place} chip={chip} words={() => words.text} onHistory={() => {}} />
        ))}
      </div>
      {left && <UnsentWords words={words} onDone={() => setLeft(false)} />}
    </Section>
  );
}

function People() {
  const [tags, setTags] = useState(['interview', 'draft']);
  return (
    <Section title="People, chips, hints, dates">
      <div className={styles.row}>
        {people.map((name) => (
          <Hint key={name} text={name} describes={false}>
            <Avatar name={name} label={name} />
          </Hint>
        ))}
        <Avatar name="Ann Demo" size={24} />
        <Avatar name="陈 测试" size={40} />
      </div>
      <div className={styles.row}>
        <Chip>Awaiting acceptance</Chip>
        <Chip tone="accent">Saved 14:02</Chip>
        <Chip tone="danger">Not kept</Chip>
        {tags.map((tag) => (
          <Chip key={tag} onRemove={() => setTags(tags.filter((other) => other !== tag))}>
            {tag}
          </Chip>
        ))}
      </div>
      <p>
        <Hint text="14 of 20 participants have opened it.">
          <button type="button" className={styles.figure}>
            70 %
          </button>
        </Hint>{' '}
        opened it, last <RelativeDate at={threeHoursAgo} />.
      </p>
    </Section>
  );
}
