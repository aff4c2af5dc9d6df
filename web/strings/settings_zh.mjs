// The settings' names and help in Simplified Chinese.

import { settingSentences } from "./settings_en.mjs"

const WORDS = {
  civitai_api_key: [
    "CivitAI API 密钥",
    "你的 CivitAI API 密钥。只保存在 settings.json 中，不再显示，也不会发送给其他主机。",
  ],
  civitai_api_base: ["CivitAI 地址", "CivitAI API 的地址。"],
  civarchive_enabled: ["同时查询 CivArchive", "当 CivitAI 确认没有某个模型时，再向 CivArchive 查询。"],
  civarchive_api_base: ["CivArchive 地址", "CivArchive API 的地址。"],
  archive_db_path: ["本地存档", "本地 CivitAI 元数据存档（civitai.sqlite），以只读方式打开。留空表示没有。"],
  model_folders: ["模型文件夹", "按类型列出的模型文件夹，供独立运行时使用；在 ComfyUI 中使用其自身的文件夹。"],
  rate_limit_gate_enabled: ["在闸口等待", "被服务方拒绝后，在共用的闸口等待。关闭时，拒绝会立即报告。"],
  rate_limit_max_wait_seconds: ["最长等待（秒）", "一次查询在闸口最多等待多少秒，超过后推迟处理。"],
  rate_limit_interactive_max_wait_seconds: [
    "点击后的最长等待（秒）",
    "由点击触发的查询最多等待多少秒。留空则与最长等待相同。",
  ],
  rate_limit_min_interval_seconds: ["请求间隔（秒）", "向同一服务方发送两次请求之间的秒数，这是 Pantry 的最快速度。"],
  rate_limit_adaptive_enabled: ["学习节奏", "根据拒绝学习服务方允许的节奏。关闭时始终使用固定间隔。"],
  rate_limit_cautious_enabled: ["格外谨慎", "批量请求逐个发送，间隔随机 10 到 20 秒。"],
  rate_limit_backoff_base_seconds: ["首次等待（秒）", "拒绝未说明时长时的首次等待秒数，之后每次加倍。"],
  rate_limit_backoff_max_seconds: ["此类等待上限（秒）", "此类等待最长多少秒。"],
  rate_limit_header_ceiling_seconds: ["不合理的等待（秒）", "Retry-After 达到或超过这个秒数时视为错误并忽略。"],
  rate_limit_shared_hosts: ["共享节奏的主机", "属于同一服务方、共享同一窗口和节奏的主机名，例如其镜像。"],
  import_folders: ["可导入的文件夹", "除 ComfyUI 的输入和输出文件夹外，允许导入的文件夹。"],
  watch_folders: ["监视的文件夹", "这些文件夹中的新图片会自动成为配方。"],
  write_sidecars: ["写入附属文件", "在模型文件旁写入模型元数据。"],
  batch_import_concurrency: ["同时查询数", "一次导入最多同时进行多少个查询。"],
  batch_import_auto_resume: ["自动完成", "等待结束后，自动完成因服务方而等待的图片。"],
  skip_duplicates: ["跳过重复图片", "跳过已有配方的图片。"],
  skip_no_metadata: ["跳过无信息图片", "跳过没有生成信息的图片。"],
  read_sidecar_texts: ["读取图片旁的文本", "图片本身没有信息时，读取同名的 .txt 或 .json 文件。"],
  allowed_hosts: ["其他主机名", "本服务器接受的其他主机名，例如前置代理的名称。"],
  allow_remote_changes: ["允许其他机器更改", "允许其他机器上的浏览器执行本机专属的操作：删除，以及设置路径和密钥。"],
}

const SECTIONS = {
  "section.pace": "节奏与等待",
  "section.vendors": "服务方",
  "section.imports": "导入图片",
  "section.library": "模型库",
}

export const settings = settingSentences(WORDS, SECTIONS)
