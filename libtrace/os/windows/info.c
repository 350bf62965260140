/*
 * What is known of a file by its handle.
 */
#include "os/windows/win32.h"

#include "os/windows/failure.h"
#include "os/windows/handle.h"

#include <string.h>

#define TICKS_UNTIL_1970 INT64_C(116444736000000000)
#define TICKS            10000000 /* of a second */

static uint64_t joined(DWORD high, DWORD low)
{
    return (uint64_t)high << 32 | low;
}

static int64_t seconds_of(int64_t time)
{
    const int64_t ticks = time - TICKS_UNTIL_1970;
    return ticks < 0 ? (ticks - TICKS + 1) / TICKS : ticks / TICKS;
}

/* ReFS numbers files with 128 bits, of which others give all, too. */
static bool set_identity(void *handle, struct tk_os_info *info)
{
    FILE_ID_INFO id;
    BY_HANDLE_FILE_INFORMATION file;
    if (GetFileInformationByHandleEx(handle, FileIdInfo, &id, sizeof id)) {
        info->volume = id.VolumeSerialNumber;
        memcpy(info->identity, &id.FileId, sizeof info->identity);
        return true;
    }
    if (!GetFileInformationByHandle(handle, &file))
        return false;
    info->volume = file.dwVolumeSerialNumber;
    info->identity[0] = joined(file.nFileIndexHigh, file.nFileIndexLow);
    return true;
}

struct tk_os_result tk_os_handle_info(void *handle, struct tk_os_info *info)
{
    FILE_BASIC_INFO basic;
    FILE_STANDARD_INFO standard;
    SetLastError(NO_ERROR);
    const DWORD type = GetFileType(handle);
    *info = (struct tk_os_info){.kind = type == FILE_TYPE_PIPE ? TK_OS_PIPE : TK_OS_DEVICE};
    if (type == FILE_TYPE_UNKNOWN && GetLastError() != NO_ERROR)
        return tk_os_last_failure();
    if (type != FILE_TYPE_DISK)
        return tk_os_result_of(TK_OS_OK);
    if (!GetFileInformationByHandleEx(handle, FileBasicInfo, &basic, sizeof basic) ||
        !GetFileInformationByHandleEx(handle, FileStandardInfo, &standard, sizeof standard) ||
        !set_identity(handle, info))
        return tk_os_last_failure();
    info->kind = standard.Directory ? TK_OS_FOLDER : TK_OS_FILE;
    info->size = standard.Directory ? 0 : (uint64_t)standard.EndOfFile.QuadPart;
    info->own = true;
    info->modified = seconds_of(basic.LastWriteTime.QuadPart);
    info->changed = (uint64_t)basic.LastWriteTime.QuadPart * 3 + (uint64_t)basic.ChangeTime.QuadPart;
    return tk_os_result_of(TK_OS_OK);
}

struct tk_os_result tk_os_file_info(const struct tk_os_file *f, struct tk_os_info *info)
{
    return tk_os_handle_info(f->handle, info);
}
