import type { MailTexts } from './texts.ts';

export const zh: MailTexts = {
  greeting: '{{name}}，您好：',
  greetingNameless: '您好：',
  valid: '该链接在{{time}}内有效，且只能使用一次。',
  confirm: {
    subject: '请确认您的电子邮箱地址',
    why: '您收到这封邮件，是因为有人用此地址在 Colloquy 注册了账号。请确认该地址属于您。',
    action: '确认地址',
    otherwise: '如果不是您本人操作，请忽略此邮件：若不确认，该账号将在{{time}}后删除。',
  },
  alreadyRegistered: {
    subject: '您已有账号',
    why: '您收到这封邮件，是因为有人（很可能是您本人）想把此地址用于 Colloquy 账号。该地址已有账号，直接登录即可。',
    action: '登录',
    forgot: '如果忘记了密码，请设置新密码：',
    otherwise: '如果不是您本人操作，无需做任何事：您的账号没有变化。',
  },
  reset: {
    subject: '设置新密码',
    why: '您收到这封邮件，是因为有人在 Colloquy 为此地址的账号申请了新密码。',
    action: '设置新密码',
    otherwise: '如果不是您本人操作，请忽略此邮件：您的密码保持不变。',
  },
  changeEmail: {
    subject: '请确认您的新电子邮箱地址',
    why: '您收到这封邮件，是因为此地址被填写为某个 Colloquy 账号的新地址。如需更改，请打开链接并输入该账号的密码。',
    action: '改用此地址',
    otherwise: '如果不是您本人操作，请忽略此邮件：不会有任何改变。',
  },
  emailChanged: {
    subject: '您的电子邮箱地址已更改',
    why: '您收到这封邮件，是因为您的 Colloquy 账号地址已更改为 {{address}}。今后请用该地址登录。',
    action: '撤销更改',
    otherwise: '如果是您本人操作，无需做任何事。如果不是，请撤销更改，然后设置新密码：',
  },
  passwordChanged: {
    subject: '您的密码已更改',
    why: '您收到这封邮件，是因为您的 Colloquy 账号密码已更改。',
    action: '设置新密码',
    otherwise: '如果是您本人操作，无需做任何事。如果不是，请立即设置新密码：',
  },
  accountDeleted: {
    subject: '您的账号已删除',
    why: '您收到这封邮件，是因为您的 Colloquy 账号已删除，无法恢复。',
    action: '打开 Colloquy',
    otherwise: '如果不是您本人操作，请告知为您提供 Colloquy 的人员：',
  },
  recordingReady: {
    subject: '您的录音已就绪',
    why: '您收到这封邮件，是因为您在 Colloquy 添加的录音“{{title}}”已就绪。',
    action: '打开录音',
    otherwise: '现在可以阅读、收听和校正：',
  },
  recordingFailed: {
    subject: '您的录音未能处理',
    why: '您收到这封邮件，是因为您在 Colloquy 添加的录音“{{title}}”未能处理。',
    action: '查看原因',
    otherwise: '未收取任何费用。录音页面会说明原因，您也可以在那里重试：',
  },
  recordingsGiven: {
    subject: '{{owner}} 将录音转交给您',
    why: '{{owner}} 删除了自己的 Colloquy 账号，您现在是以下录音的所有者：',
    action: '打开资料库',
    otherwise: '其他人保留原有的访问权限。现在由您决定谁可以访问。',
  },
  recordingsGone: {
    subject: '{{owner}} 删除了录音',
    why: '{{owner}} 删除了自己的 Colloquy 账号。您曾可访问的以下录音已随之删除：',
    action: '打开资料库',
    otherwise: '这些录音无法恢复。',
  },
  orderPlaced: {
    subject: '有一个录音需要人工转写',
    why: '您收到这封邮件，是因为这个地址在 Colloquy 被设为人工转写录音的人员的地址。有一个新订单。',
    action: '打开订单',
    otherwise: '请用这个地址登录查看：',
  },
  orderWithdrawn: {
    subject: '一个订单已撤回',
    why: '您收到这封邮件，是因为您在 Colloquy 接下了订单“{{title}}”。其所有者已删除录音，您无需再做任何事。',
    action: '打开订单',
    otherwise: '如果您保存了录音，请将其删除。其他订单：',
  },
  purchased: {
    subject: '您的点数已到账',
    why: '您收到这封邮件，是因为您在 Colloquy 购买了点数：{{what}} 点已加入您的余额。',
    practice: '这是一次测试付款，没有产生资金流动。',
    action: '查看交易记录和收据',
    otherwise: '如果您没有购买任何内容，请回复此邮件或联系客服。您的收据：',
  },
  gift: {
    subject: '{{from}} 向您转账了点数',
    why: '您收到此邮件，是因为 {{from}} 在 Colloquy 向您转账了 {{amount}} 点数。',
    action: '查看余额',
    otherwise: '点数可用于支付录音的转写。您的余额：',
    signUp: {
      action: '创建账号',
      otherwise: '点数可用于支付录音的转写。如需领取，请在 14 天内使用此邮箱创建账号，逾期将退回。',
    },
  },
  giftReturned: {
    subject: '您的点数已退回',
    why: '您收到此邮件，是因为您曾在 Colloquy 向 {{to}} 转账 {{amount}} 点数。该邮箱的所有者没有领取，点数已退回您的余额。',
    action: '查看余额',
    otherwise: '如果邮箱填写有误，可以重新转账到正确的邮箱。您的余额：',
  },
  invitation: {
    action: '打开邀请',
    decline: '拒绝邀请',
    otherwise: '如果您不认识此人，请忽略此邮件：您不接受，就不会发生任何事。',
    account: {
      subject: '{{inviter}} 邀请您使用 Colloquy',
      why: '您收到这封邮件，是因为 {{inviter}} 邀请您使用 Colloquy，与他人一起校对、评论和评估录音的文字稿。',
    },
    team: {
      subject: '{{inviter}} 邀请您加入团队',
      why: '您收到这封邮件，是因为 {{inviter}} 邀请您加入 Colloquy 的一个团队。',
    },
    meeting: {
      subject: '{{inviter}} 与您共享了一段录音',
      why: '您收到这封邮件，是因为 {{inviter}} 在 Colloquy 与您共享了一段录音及其文字稿。',
    },
    folder: {
      subject: '{{inviter}} 与您共享了一个文件夹',
      why: '您收到这封邮件，是因为 {{inviter}} 在 Colloquy 与您共享了一个文件夹，其中有录音及其文字稿。',
    },
    recording: {
      subject: '{{inviter}} 请您添加一段录音',
      why: '您收到这封邮件，是因为 {{inviter}} 请您在 Colloquy 添加一段您的录音。您先评估，然后由 {{inviter}} 评估。',
    },
  },
  teamPayer: {
    subject: '{{by}} 请您为团队付款',
    why: '您收到这封邮件，是因为 {{by}} 请您在 Colloquy 用您的点数支付团队“{{team}}”的录音费用。',
    action: '打开团队',
    otherwise: '在您接受之前，一切不变。',
  },
  teamJoined: {
    subject: '您已加入团队',
    why: '您收到这封邮件，是因为您在 Colloquy 加入了团队“{{team}}”。与该团队共享的内容现已在您的资料库中。',
    action: '打开团队',
    otherwise: '如果不想加入，可以在该页面退出团队。',
  },
  teamLow: {
    subject: '团队的点数即将用完',
    why: '您收到这封邮件，是因为您是 Colloquy 团队“{{team}}”的管理员。付款人的点数还剩 {{balance}}，低于提醒的界限 {{limit}}。',
    action: '打开团队',
    otherwise: '没有点数后，团队将无法再为成员的录音付款。',
  },
  teamUploads: {
    subject: '团队有新录音',
    why: '您收到这封邮件，是因为您是 Colloquy 团队“{{team}}”的管理员。以下成员添加了录音：',
    action: '打开团队',
    otherwise: '管理员可以在团队设置中关闭这些邮件。',
  },
  mention: {
    subject: '{{author}} 在评论中提到了您',
    why: '您收到这封邮件，是因为 {{author}} 在 Colloquy 对“{{title}}”的评论中提到了您。',
    action: '查看评论',
    otherwise: '您可以直接在下方回复。',
  },
  reply: {
    subject: '{{author}} 回复了一条评论',
    why: '您收到这封邮件，是因为 {{author}} 在 Colloquy 的“{{title}}”中回复了您参与的评论。同一条评论每小时最多一封此类邮件。',
  },
  comment: {
    subject: '{{author}} 评论了您的录音',
    why: '您收到这封邮件，是因为 {{author}} 在 Colloquy 评论了您的“{{title}}”。每段录音每天最多一封此类邮件。',
  },
  shared: {
    subject: '{{inviter}} 与您共享了一段录音',
    why: '您收到这封邮件，是因为 {{inviter}} 在 Colloquy 与您共享了一段录音及其文字稿。',
    action: '打开录音',
    otherwise: '如果您不认识此人，请忽略这封邮件。',
  },
  review: {
    action: '打开评审',
    otherwise: '如果您没有预期收到这封邮件，请忽略。',
    asked: {
      subject: '{{by}} 请您评估一段录音',
      why: '您收到这封邮件，是因为 {{by}} 请您在 Colloquy 评估一段录音。',
    },
    'self-done': {
      subject: '{{by}} 已完成自评',
      why: '您收到这封邮件，是因为 {{by}} 已在 Colloquy 完成自评，现在轮到您了。',
    },
    supervised: {
      subject: '{{by}} 为一次评审添加了督导',
      why: '您收到这封邮件，是因为 {{by}} 为您在 Colloquy 参与的一次评审添加了督导。督导可以查看所有评估。',
    },
    join: {
      subject: '{{by}} 希望加入评审',
      why: '您收到这封邮件，是因为 {{by}} 希望参与您在 Colloquy 主持的一次评审。',
    },
    due: {
      subject: '一次评审明天截止',
      why: '您收到这封邮件，是因为 Colloquy 上的一次评审明天截止，而您尚未完成自己的评估。',
    },
    approve: {
      subject: '一次评审等待您批准',
      why: '您收到这封邮件，是因为 Colloquy 上一段录音的其他评审人均已完成评估。',
    },
    opened: {
      subject: '一次评审已完成',
      why: '您收到这封邮件，是因为您在 Colloquy 参与的一次评审已完成，现在可以查看所有评估。',
    },
    published: {
      subject: '一次评审已发布',
      why: '您收到这封邮件，是因为您在 Colloquy 参与的一次评审已发布。',
    },
  },
  reviewDigest: {
    subject: '您的评审有新消息',
    why: '您收到这封邮件，是因为您在 Colloquy 参与了评审。以下是新消息：',
    action: '打开 Colloquy',
    otherwise: '您的团队将这些邮件汇总，每天最多一封。管理员可以在团队设置中更改。',
  },
  teamWords: '您的团队“{{team}}”补充：',
  sharedFolder: {
    subject: '{{inviter}} 与您共享了一个文件夹',
    why: '您收到这封邮件，是因为 {{inviter}} 在 Colloquy 与您共享了一个文件夹，其中有录音及其文字稿。',
    action: '打开文件夹',
    otherwise: '如果您不认识此人，请忽略这封邮件。',
  },
  accessRequest: {
    subject: '{{asker}} 希望查看您的录音',
    why: '您收到这封邮件，是因为 {{asker}}（{{address}}）请求访问您在 Colloquy 的录音“{{title}}”。',
    action: '查看请求',
    otherwise: '打开链接不会改变任何内容。如果您不认识此人，请忽略这封邮件。',
    roles: {
      canComment: {
        subject: '{{asker}} 希望评论您的录音',
        why: '您收到这封邮件，是因为 {{asker}}（{{address}}）请求评论您在 Colloquy 的录音“{{title}}”。',
      },
      canEdit: {
        subject: '{{asker}} 希望编辑您的录音',
        why: '您收到这封邮件，是因为 {{asker}}（{{address}}）请求编辑您在 Colloquy 的录音“{{title}}”。',
      },
      canEditShare: {
        subject: '{{asker}} 希望编辑并共享您的录音',
        why: '您收到这封邮件，是因为 {{asker}}（{{address}}）请求编辑并共享您在 Colloquy 的录音“{{title}}”。',
      },
    },
  },
  accessGiven: {
    subject: '{{inviter}} 已授予您访问权限',
    why: '您收到这封邮件，是因为您请求了访问权限。{{inviter}} 已允许您访问 Colloquy 的录音“{{title}}”。',
    action: '打开录音',
    otherwise: '如果您没有提出请求，请忽略这封邮件。',
  },
  feedback: {
    subject: '关于 Colloquy 的反馈',
    why: '您收到这封邮件，是因为此地址用于接收反馈。有人写道：',
    contact: '联系方式：{{contact}}',
    noContact: '未留联系方式。',
  },
};
