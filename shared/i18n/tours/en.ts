/** Texts of the tours, loaded when one begins. */
export const toursEn = {
  tours: {
    leave: 'Leave the tour',
    never: 'No more tours',
    back: 'Back',
    next: 'Next',
    done: 'Done',
    steps: {
      add: {
        title: 'Add a recording',
        text: 'Record in the browser, or add an audio or video file or a finished transcript.',
      },
      first: {
        title: 'Or try the sample',
        text: 'The sample recording has a finished transcript of three minutes, which is yours to change.',
      },
      row: {
        title: 'Open it',
        text: 'A recording opens with its transcript. The three dots share, move or export it.',
      },
      search: { title: 'Find it again', text: 'Type a few letters. / brings you here from anywhere on this page.' },
      places: {
        title: 'What others share',
        text: 'Shared with me has what others gave you. What you delete can be restored for a while.',
      },
      account: {
        title: 'Your account',
        text: 'Profile, balance, teams and help are in this menu, and the tour of each page.',
      },
      filters: {
        title: 'Narrow the list',
        text: 'Show recordings by speaker, tag, language or outcome. A search that you use often can be saved.',
      },
      many: {
        title: 'Several at once',
        text: 'Tick recordings to move, compare or delete them together.',
      },
      text: {
        title: 'Correct the text',
        text: 'Type in the transcript. Everybody here sees it at once, and it is saved as you type.',
      },
      player: {
        title: 'Listen',
        text: 'Play, slow down, or hear a place again from the waveform. Each word knows its time.',
      },
      panes: { title: 'Mark and comment', text: 'Outcomes, comments, your own notes and the summary open here.' },
      share: { title: 'Share it', text: 'Invite people to read, comment or edit, or give them a link.' },
    },
  },
};
